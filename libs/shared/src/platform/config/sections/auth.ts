import { messages } from "../messages.ts";
import { Backchannel } from "./auth-backchannel.ts";
import { Backends } from "./auth-backends.ts";
import { Controls } from "./auth-controls.ts";
import { Domains } from "./auth-domains.ts";
import { OauthBearer } from "./auth-oauthbearer.ts";
import { Pipeline } from "./auth-pipeline.ts";
import { Policy } from "./auth-policy.ts";
import { Risk } from "./auth-risk.ts";
import { Shadow } from "./auth-shadow.ts";
import type { Judgement } from "./checks.ts";
import { choice, duration, entries, flag, integer, liveSection, requiredText, section, text } from "./fields.ts";
import type { Config } from "./root.ts";

const Target = section("A mail server whose health is checked.", {
  protocol: choice(
    ["imap", "pop3", "smtp", "lmtp", "sieve", "http"],
    "Protocol of the mail server. Sessions of this protocol are directed to it.",
  ),
  host: requiredText("IP address or host name of the mail server. Its IP address is sent as Auth-Server.", {
    example: "192.0.2.10",
  }),
  port: integer(0, "Port of the mail server, sent as Auth-Port. 0 uses the protocol's default.", { maximum: 65_535 }),
  tls: flag("Whether the connection uses TLS from the first byte."),
  starttls: flag("Whether StartTLS is requested after the greeting."),
  tls_skip_verify: flag("Whether any server certificate is accepted."),
  haproxy_v2: flag("Whether the connection begins with a PROXY protocol header, version 2."),
  request_uri: text("Path of the HTTP request, with protocol `http`. A status below 500 means healthy.", {
    default: "/",
    form: "header-text",
  }),
});

const Services = liveSection("Supporting services.", {
  backend_health_checks: section("Health checks of the mail servers behind the proxy dialect.", {
    interval: duration("10s", "Interval between two checks of a server, varied by up to 10%.", { minimum: 100 }),
    timeout: duration("5s", "Timeout of a check, including name resolution, connection, TLS and greeting.", {
      minimum: 10,
      maximum: 60_000,
    }),
    failure_threshold: integer(1, "Number of consecutive failures after which a server is no longer used.", {
      minimum: 1,
      maximum: 100,
    }),
    recovery_threshold: integer(1, "Number of consecutive successes after which a server is used again.", {
      minimum: 1,
      maximum: 100,
    }),
    targets: entries("Mail servers. For protocols with an entry here, auth.upstreams is not used.", Target),
  }),
});

const root = "auth.services.backend_health_checks.targets";
/** Each gateway checks every target. */
const maxTargets = 256;

export function validateServices({ auth }: Config, { problem }: Judgement): void {
  const { targets } = auth.services.backend_health_checks;
  if (targets.length > maxTargets) problem(root, messages.tooMany(maxTargets));
  targets.forEach(({ tls, starttls, protocol }, index) => {
    if (starttls && tls) problem(`${root}[${index}].starttls`, messages.notWith(`${root}[${index}].tls`));
    if (starttls && protocol === "http") problem(`${root}[${index}].starttls`, messages.notWith("protocol http"));
  });
}

const header = (name: string, what: string) =>
  text(`Name of the header with ${what}. If empty, no header is read.`, { default: name, form: "header-name" });

const RequestHeaders = section("Names of the request headers in the header, basic and proxy dialects.", {
  username: header("Auth-User", "the user name"),
  password: header("Auth-Pass", "the password"),
  password_encoded: header("Auth-Password-Encoded", "the value 1 if the password is Base64-encoded"),
  protocol: header("Auth-Protocol", "the protocol"),
  auth_method: header("Auth-Method", "the authentication method"),
  login_attempt: header("Auth-Login-Attempt", "the number of the login attempt"),
  client_ip: header("Client-IP", "the client address"),
  client_port: header("X-Client-Port", "the port of the client"),
  client_host: header("X-Client-Host", "the host name of the client"),
  client_id: header("X-Client-Id", "the name and version of the mail client"),
  external_session_id: header("X-External-Session-Id", "the session ID of the API caller"),
  local_ip: header("X-Local-IP", "the mail server's address"),
  local_port: header("X-Auth-Port", "the mail server's port"),
  ssl: header("Auth-SSL", "any value if the mail client uses TLS"),
  ssl_session_id: header("Auth-SSL-Session-ID", "the TLS session ID"),
  ssl_verify: header("Auth-SSL-Verify", "the result of the certificate check"),
  ssl_subject: header("Auth-SSL-Subject", "the certificate's subject"),
  ssl_client_cn: header("Auth-SSL-Client-CN", "the certificate's common name"),
  ssl_issuer: header("Auth-SSL-Issuer", "the certificate's issuer"),
  ssl_client_not_before: header("Auth-SSL-Client-Not-Before", "the start of the certificate's validity"),
  ssl_client_not_after: header("Auth-SSL-Client-Not-After", "the end of the certificate's validity"),
  ssl_subject_dn: header("Auth-SSL-Subject-DN", "the subject's DN"),
  ssl_issuer_dn: header("Auth-SSL-Issuer-DN", "the issuer's DN"),
  ssl_client_subject_dn: header("Auth-SSL-Client-Subject-DN", "the client certificate's subject DN"),
  ssl_client_issuer_dn: header("Auth-SSL-Client-Issuer-DN", "the client certificate's issuer DN"),
  ssl_cipher: header("Auth-SSL-Cipher", "the cipher"),
  ssl_protocol: header("Auth-SSL-Protocol", "the TLS version"),
  ssl_serial: header("Auth-SSL-Serial", "the certificate's serial number"),
  ssl_fingerprint: header("Auth-SSL-Fingerprint", "the certificate's fingerprint"),
  oidc_cid: header("X-OIDC-CID", "the OIDC client ID"),
});

const upstream = (protocol: string, port: number) =>
  section(`Mail server to which the proxy dialect directs ${protocol} sessions.`, {
    address: text(
      "IP address of the mail server, sent as Auth-Server. It must be an address because nginx does not resolve names. If empty, logins end in a temporary failure.",
      { form: "ip-address" },
    ),
    port: integer(port, "Port of the mail server, sent as Auth-Port.", { minimum: 1, maximum: 65_535 }),
  });

export const Auth = section("API callers, controls, policies, backends and responses.", {
  request: section("How requests are read.", { headers: RequestHeaders }),
  backchannel: Backchannel,
  oauthbearer: OauthBearer,
  pipeline: Pipeline,
  response: liveSection("Content of responses.", {
    proxy_denial_text: text("Text that mail users see in place of FAIL, in the proxy dialect.", {
      form: "header-text",
      maxLength: 256,
    }),
    proxy_response_codes: flag(
      "Whether the texts of the proxy dialect begin with the response code of the mail protocol, by which a mail program tells a temporary failure from a wrong password: [UNAVAILABLE] or [AUTHENTICATIONFAILED] for imap (RFC 5530), [SYS/TEMP] or [AUTH] for pop3 (RFC 3206).",
    ),
  }),
  upstreams: liveSection("Mail servers behind the proxy dialect, by protocol.", {
    smtp: upstream("smtp", 25),
    imap: upstream("imap", 143),
    pop3: upstream("pop3", 110),
  }),
  services: Services,
  controls: Controls,
  policy: Policy,
  risk: Risk,
  backends: Backends,
  shadow: Shadow,
  domains: Domains,
});
