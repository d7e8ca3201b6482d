import { Backchannel } from "./auth-backchannel.ts";
import { Backends } from "./auth-backends.ts";
import { Controls } from "./auth-controls.ts";
import { OauthBearer } from "./auth-oauthbearer.ts";
import { Pipeline } from "./auth-pipeline.ts";
import { Policy } from "./auth-policy.ts";
import { RequestHeaders } from "./auth-request.ts";
import { Risk } from "./auth-risk.ts";
import { Services } from "./auth-services.ts";
import { flag, integer, section, text } from "./fields.ts";

const upstream = (protocol: string, port: number) =>
  section(`Mail server to which the proxy dialect directs ${protocol} sessions.`, {
    address: text(
      "IP address of the mail server, sent as Auth-Server. It must be an address because nginx does not resolve names. If empty, logins end in a temporary failure.",
      { form: "ip-address", reload: "live" },
    ),
    port: integer(port, "Port of the mail server, sent as Auth-Port.", { minimum: 1, maximum: 65_535, reload: "live" }),
  });

/** Everything that concerns decisions. */
export const Auth = section("API callers, controls, policies, backends and responses.", {
  request: section("How requests are read.", { headers: RequestHeaders }),
  backchannel: Backchannel,
  oauthbearer: OauthBearer,
  pipeline: Pipeline,
  response: section("Content of responses.", {
    proxy_denial_text: text("Text that mail users see in place of FAIL, in the proxy dialect.", {
      form: "header-text",
      maxLength: 256,
      reload: "live",
    }),
    proxy_response_codes: flag(
      "Whether the texts of the proxy dialect begin with the response code of the mail protocol, by which a mail program tells a temporary failure from a wrong password: [UNAVAILABLE] or [AUTHENTICATIONFAILED] for imap (RFC 5530), [SYS/TEMP] or [AUTH] for pop3 (RFC 3206).",
      { reload: "live" },
    ),
  }),
  upstreams: section("Mail servers behind the proxy dialect, by protocol.", {
    smtp: upstream("smtp", 25),
    imap: upstream("imap", 143),
    pop3: upstream("pop3", 110),
  }),
  services: Services,
  controls: Controls,
  policy: Policy,
  risk: Risk,
  backends: Backends,
});
