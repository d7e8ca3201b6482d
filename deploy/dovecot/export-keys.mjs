// Writes the public RSA and EC keys of an issuer as Dovecot looks for them: <folder>/default/<algorithm>/<kid>.
// node export-keys.mjs https://id.example.com /etc/dovecot/postern-keys
// Each run adds the keys that are new; run it more often than identity.oidc.key_publish_delay.
import { createPublicKey } from "node:crypto";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const [issuer, folder] = process.argv.slice(2);
if (issuer === undefined || folder === undefined) throw new Error("usage: export-keys.mjs <issuer> <folder>");
const algorithms = { RSA: ["RS256", "PS256"], EC: ["ES256"] };
const response = await fetch(new URL("/oidc/jwks", issuer), { signal: AbortSignal.timeout(10_000) });
if (!response.ok) throw new Error(`${issuer}: ${response.status}`);
const { keys } = await response.json();
for (const key of keys) {
  if (!/^[\w-]{1,64}$/.test(key.kid)) continue;
  for (const algorithm of algorithms[key.kty] ?? []) {
    const place = join(folder, "default", algorithm);
    await mkdir(place, { recursive: true, mode: 0o755 });
    const file = join(place, key.kid);
    await writeFile(`${file}.new`, createPublicKey({ format: "jwk", key }).export({ type: "spki", format: "pem" }));
    await rename(`${file}.new`, file);
  }
}
