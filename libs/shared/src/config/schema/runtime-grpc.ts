import { choice, flag, section, text } from "./fields.ts";

const AuthorityTls = section("TLS of this listener.", {
  enabled: flag(false, { description: "Serve TLS instead of plain text." }),
  cert: text("", { description: "File with the certificate chain, PEM." }),
  key: text("", { description: "File with the private key, PEM." }),
  client_ca: text("", { description: "File with the authorities of client certificates, PEM." }),
  require_client_cert: flag(false, { description: "Take only clients with a certificate of client_ca." }),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "TLS1.2", { description: "Oldest protocol version accepted." }),
});

/** The gateway's gRPC listener. */
export const GrpcServer = section("The gateway's gRPC listeners.", {
  authority: section("AuthService, for mail products that ask over gRPC.", {
    enabled: flag(false, { description: "Open this listener." }),
    address: text("127.0.0.1:9444", {
      description: "Where it listens; without TLS a loopback address.",
      form: "host-port",
      minLength: 1,
    }),
    tls: AuthorityTls,
  }),
});
