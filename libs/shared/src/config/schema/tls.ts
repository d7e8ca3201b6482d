import { choice, flag, section, text } from "./fields.ts";

/** TLS of a listener of ours. */
export const ServerTls = section("TLS of this listener.", {
  enabled: flag(false, { description: "Serve TLS instead of plain text." }),
  cert: text("", { description: "File with the certificate chain, PEM." }),
  key: text("", { description: "File with the private key, PEM." }),
  ca_file: text("", {
    description:
      "File with the authorities of client certificates, PEM: every client of the back channel must show one of theirs. Empty asks for none.",
  }),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "TLS1.2", { description: "Oldest protocol version accepted." }),
});

/** TLS towards a server that we use. */
export const ClientTls = section("TLS towards this server.", {
  enabled: flag(false, { description: "Connect with TLS." }),
  ca_file: text("", { description: "File with the authorities to trust, PEM; empty trusts the system's." }),
  cert: text("", { description: "File with our client certificate, PEM." }),
  key: text("", { description: "File with our client certificate's private key, PEM." }),
  skip_verify: flag(false, { description: "Accept any certificate. For tests only: it gives up what TLS is for." }),
});
