import { recommendedGroups, recommendedSuites } from "../../net/tls-names.ts";
import { choice, flag, section, text, texts } from "./fields.ts";

export const ServerTls = section("TLS settings of this listener.", {
  enabled: flag("Whether the listener requires TLS instead of plain text."),
  cert: text("Path of the PEM file with the certificate chain."),
  key: text("Path of the PEM file with the private key."),
  ca_file: text(
    "Path of the PEM file with the CA certificates for client certificates. If set, every client of the back channel must present a certificate that one of them issued; without `frontend_address`, browsers use the same listener and must present one too.",
  ),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "Oldest TLS version that is accepted."),
  cipher_suites: texts(
    "Cipher suites of TLS 1.2, by their IANA names. The default is the list that RFC 9325 recommends. All suites of TLS 1.3 are accepted.",
    { default: [...recommendedSuites], minItems: 1 },
  ),
  curves: texts("Groups for the key exchange, in order of preference.", {
    default: [...recommendedGroups],
    minItems: 1,
  }),
});

export const ClientTls = section("TLS settings of the connection to this server.", {
  enabled: flag("Whether the connection uses TLS."),
  ca_file: text(
    "Path of the PEM file with the trusted CA certificates. If empty, the public CAs of Node.js and those of runtime.outgoing_tls.ca_file are trusted.",
  ),
  cert: text("Path of the PEM file with Postern's client certificate."),
  key: text("Path of the PEM file with the private key of the client certificate."),
  skip_verify: flag(
    "Whether any server certificate is accepted. For tests only, because the connection is then open to interception.",
  ),
});
