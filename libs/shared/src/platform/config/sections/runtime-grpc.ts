import { parseHostPort } from "../../net/host-port.ts";
import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import { checkEnabled, type Judgement } from "./checks.ts";
import { choice, flag, section, text } from "./fields.ts";
import type { Config } from "./root.ts";

const AuthorityTls = section("TLS settings of this listener.", {
  enabled: flag("Whether the listener requires TLS instead of plain text."),
  cert: text("Path of the PEM file with the certificate chain."),
  key: text("Path of the PEM file with the private key."),
  client_ca: text("Path of the PEM file with the CA certificates that client certificates must be issued by."),
  require_client_cert: flag("Whether callers must present a certificate issued by client_ca."),
  min_tls_version: choice(["TLS1.2", "TLS1.3"], "Oldest TLS version that is accepted."),
});

/** The gateway's gRPC listener. */
export const GrpcServer = section("Listeners of the gateway for gRPC.", {
  authority: section("AuthService, for mail servers that authenticate users over gRPC.", {
    enabled: flag("Whether the listener is open."),
    address: text("Address and port of the listener. Without TLS it must be a loopback address.", {
      default: "127.0.0.1:9444",
      form: "host-port",
      minLength: 1,
    }),
    tls: AuthorityTls,
  }),
});

/** Callers send passwords here, so without TLS only this machine may connect. */
export function validateGrpc({ runtime }: Config, judgement: Judgement): void {
  const { enabled, address, tls } = runtime.servers.grpc.authority;
  const root = "runtime.servers.grpc.authority";
  if (!enabled) return;
  if (!tls.enabled) {
    const host = parseHostPort(address)?.host;
    if (host !== undefined && !isLoopback(host)) judgement.problem(`${root}.address`, messages.plainOnLoopback);
    return;
  }
  checkEnabled(tls, `${root}.tls`, ["cert", "key"], judgement);
  if (tls.require_client_cert && tls.client_ca === "") {
    judgement.problem(`${root}.tls.client_ca`, messages.needsWhen(`${root}.tls.require_client_cert is true`));
  }
}
