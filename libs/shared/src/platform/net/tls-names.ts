/** TLS 1.2 cipher suites that a listener may accept, by their IANA names, and OpenSSL's names for them. */
export const tls12Suites: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384: "ECDHE-ECDSA-AES256-SHA384",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384: "ECDHE-RSA-AES256-SHA384",
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
};

/** The suites that RFC 9325 §4.2 recommends for TLS 1.2. */
export const recommendedSuites: readonly string[] = [
  "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
  "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
  "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
];

/** Groups for the key exchange, as OpenSSL names them. */
export const tlsGroups: readonly string[] = ["X25519MLKEM768", "X25519", "P-256", "P-384", "P-521"];

/** RFC 9325 §4.4 and, before them, the hybrid group that resists quantum computers. */
export const recommendedGroups: readonly string[] = ["X25519MLKEM768", "X25519", "P-256", "P-384"];

/** All suites of TLS 1.3 are recommended. Node disables TLS 1.3 for a list without them. */
const tls13Suites = ["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"];

/** OpenSSL's list of suites. Unknown names are left out; the configuration is checked before. */
export function cipherList(suites: readonly string[]): string {
  return [...tls13Suites, ...suites.flatMap((name) => tls12Suites[name] ?? [])].join(":");
}
