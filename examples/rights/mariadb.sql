-- Two users for a Naru on MariaDB: the owner of the tables, and one that only uses them. Run it once, as root, with passwords
-- of your own.
--   1. naru up --ledger jdbc:mariadb://HOST/naru --ledger-user naru_owner …     makes the tables; stop it when it has started
--   2. naru up --ledger jdbc:mariadb://HOST/naru --ledger-user naru_server …    from then on
-- A newer version that needs other tables says so at its start, and wants step 1 again.

CREATE DATABASE IF NOT EXISTS naru;

CREATE USER naru_owner IDENTIFIED BY 'change-me-owner';
CREATE USER naru_server IDENTIFIED BY 'change-me-server';

GRANT ALL ON naru.* TO naru_owner;
GRANT SELECT, INSERT, UPDATE, DELETE ON naru.* TO naru_server;
