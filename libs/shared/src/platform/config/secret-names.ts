const secretNames = new Set([
  "api_key",
  "bind_pw",
  "connection_string",
  "data_source_name",
  "dsn",
  "key_pem",
  "passphrase",
  "password",
  "password_encoded",
  "password_nonce",
  "pin",
  "private_key",
  "secret",
  "secret_key",
  "signing_key",
  "signing_keys",
  "static_token",
  "token",
]);

/** Whether a key name denotes a secret, in any tree. */
export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll("-", "_");
  return secretNames.has(plain) || /_(?:secret|password|passwd|token|private_key|signing_keys?|pw)$/.test(plain);
}
