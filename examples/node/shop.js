// A shop on Node that verifies passes itself, with the ordinary JWT library (npm install jose). See docs/proxies.md.
//   NARU=https://wait.shop.example QUEUE=TIMEDEAL/123 PORT=8090 node shop.js
import { createServer } from 'node:http';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const NARU = process.env.NARU ?? 'http://127.0.0.1:8080'; // Naru's --public-url: the issuer of its passes
const QUEUE = process.env.QUEUE ?? 'TIMEDEAL/123';
const PROTECTED = ['/checkout']; // exact paths: what is not routed below is a 404 anyway

// Fetched once and kept; asked for again when a pass names a key that is not known, at most every 30 seconds.
const keys = createRemoteJWKSet(new URL(`${NARU}/.well-known/jwks.json`), { cooldownDuration: 30_000 });

/** The claims of the pass that a request brings; null if it brings none that counts. */
async function passOf(request) {
  for (const token of tokensOf(request)) {
    try {
      const { payload } = await jwtVerify(token, keys, {
        algorithms: ['ES256', 'EdDSA'],
        typ: 'naru-pass+jwt',
        issuer: NARU,
        audience: QUEUE, // or the queue's setting "audience"
        requiredClaims: ['exp', 'sub', 'jti'],
        clockTolerance: 5,
      });
      if (payload.queue === QUEUE) {
        return payload;
      }
    } catch {
      // No pass, whatever is wrong with it.
    }
  }
  return null;
}

function tokensOf(request) {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '');
  const cookies = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  const named = (name) => cookies.filter((c) => c.startsWith(`${name}=`)).map((c) => c.slice(name.length + 1));
  return [...(bearer ? [bearer[1]] : []), ...named('__Host-naru-pass'), ...named('naru-pass')].slice(0, 4);
}

const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://shop');
  if (!PROTECTED.includes(pathname)) {
    return response.writeHead(pathname === '/' ? 200 : 404).end('The shop.\n');
  }
  const pass = await passOf(request);
  if (pass) {
    return response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`Welcome, ${pass.sub}. It is your turn.\n`);
  }
  response.setHeader('Cache-Control', 'no-store');
  const page = `${NARU}/wait/${QUEUE}`;
  if (request.method === 'GET' && request.headers.accept?.includes('text/html')) {
    return response.writeHead(303, { Location: `${page}?return=${encodeURIComponent(pathname + search)}` }).end();
  }
  return response
    .writeHead(429, { 'Content-Type': 'application/problem+json', 'Retry-After': '5' })
    .end(JSON.stringify({ title: 'No valid pass', status: 429, code: 'S806', waitUrl: page }));
});

server.listen(Number(process.env.PORT ?? 8090), '127.0.0.1', () => console.log(`shop on http://127.0.0.1:${server.address().port}`));
