-- Two roles for a Naru on PostgreSQL: the owner of the tables, and one that only uses them. Run it once, as a superuser, in the
-- database that Naru is to have (createdb naru; psql -d naru -f postgresql.sql), with passwords of your own.
--   1. naru up --ledger jdbc:postgresql://HOST/naru --ledger-user naru_owner …     makes the tables; stop it when it has started
--   2. naru up --ledger jdbc:postgresql://HOST/naru --ledger-user naru_server …    from then on
-- A newer version that needs other tables says so at its start, and wants step 1 again.

CREATE ROLE naru_owner LOGIN PASSWORD 'change-me-owner';
CREATE ROLE naru_server LOGIN PASSWORD 'change-me-server';

REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT CREATE, USAGE ON SCHEMA public TO naru_owner;
GRANT USAGE ON SCHEMA public TO naru_server;

-- Of what the owner will make.
ALTER DEFAULT PRIVILEGES FOR ROLE naru_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO naru_server;
ALTER DEFAULT PRIVILEGES FOR ROLE naru_owner IN SCHEMA public
  GRANT USAGE ON SEQUENCES TO naru_server;
