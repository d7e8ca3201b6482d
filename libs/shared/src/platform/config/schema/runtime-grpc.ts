import { boolean, choice, section, string } from "./fields.ts";

const AuthorityTls = section("TLS settings of this listener.", {
  enabled: boolean(false, { description: "Whether the listener requires TLS instead of plain text." }),
  cert: string("", { description: "Path of the PEM file with the certificate chain." }),
  key: string("", { description: "Path of the PEM file with the private key." }),
  client_ca: string("", {
    description: "Path of the PEM file with the CA certificates that client certificates must be issued by.",
  }),
  require_client_cert: boolean(false, {
    description: "Whether callers must present a certificate issued by client_ca.",
  }),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "TLS1.2", { description: "Oldest TLS version that is accepted." }),
});

/** The gateway's gRPC listener. */
export const GrpcServer = section("Listeners of the gateway for gRPC.", {
  authority: section("AuthService, for mail servers that authenticate users over gRPC.", {
    enabled: boolean(false, { description: "Whether the listener is open." }),
    address: string("127.0.0.1:9444", {
      description: "Address and port of the listener. Without TLS it must be a loopback address.",
      form: "host-port",
      minLength: 1,
    }),
    tls: AuthorityTls,
  }),
});
