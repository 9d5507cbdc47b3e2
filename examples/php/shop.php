<?php
// A shop on PHP that verifies passes itself, with nothing but PHP (openssl). See docs/proxies.md.
//   NARU=https://wait.shop.example QUEUE=TIMEDEAL/123 php -S 127.0.0.1:8090 shop.php
// With Composer, firebase/php-jwt does what passOf() and keyOf() do here: JWT::decode($token, JWK::parseKeySet($jwks)), and then the same claims are compared.
declare(strict_types=1);

const PROTECTED_PATHS = ['/checkout']; // exact paths: what is not routed below is a 404 anyway

function naru(): string { return getenv('NARU') ?: 'http://127.0.0.1:8080'; }   // Naru's --public-url: the issuer of its passes
function queue(): string { return getenv('QUEUE') ?: 'TIMEDEAL/123'; }

function decoded(string $part): string|false {
    return base64_decode(strtr($part, '-_', '+/') . str_repeat('=', (4 - strlen($part) % 4) % 4), true);
}

/** Naru's published keys by id, kept for a minute: a shop asks Naru once a minute, not once per visitor. */
function keys(): array {
    $kept = sys_get_temp_dir() . '/naru-keys-' . hash('sha256', naru()) . '.json';
    if (!is_file($kept) || filemtime($kept) < time() - 60) {
        $options = ['http' => ['timeout' => 2, 'follow_location' => 0]];
        $fresh = @file_get_contents(naru() . '/.well-known/jwks.json', false, stream_context_create($options), 0, 65536);
        if ($fresh !== false) {
            file_put_contents("$kept.new", $fresh);
            rename("$kept.new", $kept);
        } elseif (is_file($kept)) {
            touch($kept);   // Naru is away: the last keys serve on.
        }
    }
    $document = is_file($kept) ? json_decode(file_get_contents($kept), true) : null;
    return array_column($document['keys'] ?? [], null, 'kid');
}

/** A key of the kind ES256 as OpenSSL reads it: a fixed beginning, and the point. */
function keyOf(array $jwk): OpenSSLAsymmetricKey|false {
    if (($jwk['kty'] ?? '') !== 'EC' || ($jwk['crv'] ?? '') !== 'P-256') {
        return false;
    }
    $der = hex2bin('3059301306072a8648ce3d020106082a8648ce3d03010703420004') . decoded($jwk['x']) . decoded($jwk['y']);
    return openssl_pkey_get_public("-----BEGIN PUBLIC KEY-----\n" . base64_encode($der) . "\n-----END PUBLIC KEY-----");
}

/** The two numbers of a signature as OpenSSL wants them. */
function der(string $signature): string {
    $number = function (string $bytes): string {
        $bytes = ltrim($bytes, "\0");
        $bytes = $bytes === '' || ord($bytes[0]) > 127 ? "\0" . $bytes : $bytes;
        return "\x02" . chr(strlen($bytes)) . $bytes;
    };
    $both = $number(substr($signature, 0, 32)) . $number(substr($signature, 32));
    return "\x30" . chr(strlen($both)) . $both;
}

/** The claims of a pass that counts; null if this is none. */
function passOf(string $token): ?array {
    $parts = explode('.', $token);
    if (count($parts) !== 3 || strlen($token) > 4096) {
        return null;
    }
    [$header, $claims] = [json_decode((string) decoded($parts[0]), true), json_decode((string) decoded($parts[1]), true)];
    $signature = decoded($parts[2]);
    // Type and algorithm are pinned: a token has no say in them.
    if (($header['typ'] ?? '') !== 'naru-pass+jwt' || ($header['alg'] ?? '') !== 'ES256' || !is_string($signature) || strlen($signature) !== 64) {
        return null;
    }
    $jwk = keys()[is_string($header['kid'] ?? null) ? $header['kid'] : ''] ?? null;
    $key = $jwk === null ? false : keyOf($jwk);
    if ($key === false || openssl_verify("$parts[0].$parts[1]", der($signature), $key, OPENSSL_ALGO_SHA256) !== 1) {
        return null;
    }
    $counts = ($claims['iss'] ?? '') === naru()
        && ($claims['aud'] ?? '') === queue()   // or the queue's setting "audience"
        && ($claims['queue'] ?? '') === queue()
        && is_int($claims['nbf'] ?? null) && $claims['nbf'] - 5 <= time()
        && is_int($claims['exp'] ?? null) && time() < $claims['exp'] + 5;
    return $counts ? $claims : null;
}

function pass(): ?array {
    $tokens = preg_match('/^Bearer (.+)$/i', $_SERVER['HTTP_AUTHORIZATION'] ?? '', $found) ? [$found[1]] : [];
    foreach (['__Host-naru-pass', 'naru-pass'] as $name) {
        $tokens[] = $_COOKIE[$name] ?? '';
    }
    foreach ($tokens as $token) {
        if (is_string($token) && ($claims = passOf($token)) !== null) {
            return $claims;
        }
    }
    return null;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!in_array($path, PROTECTED_PATHS, true)) {
    http_response_code($path === '/' ? 200 : 404);
    echo "The shop.\n";
    return;
}
$claims = pass();
if ($claims !== null) {
    header('Content-Type: text/plain');
    echo "Welcome, {$claims['sub']}. It is your turn.\n";
    return;
}
header('Cache-Control: no-store');
$page = naru() . '/wait/' . queue();
if ($_SERVER['REQUEST_METHOD'] === 'GET' && str_contains($_SERVER['HTTP_ACCEPT'] ?? '', 'text/html')) {
    header("Location: $page?return=" . rawurlencode($_SERVER['REQUEST_URI']), true, 303);
    return;
}
http_response_code(429);
header('Content-Type: application/problem+json');
header('Retry-After: 5');
echo json_encode(['title' => 'No valid pass', 'status' => 429, 'code' => 'S806', 'waitUrl' => $page], JSON_UNESCAPED_SLASHES);
