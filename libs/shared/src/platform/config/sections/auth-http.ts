import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import { checkPair, type Judgement, remoteHostOf } from "./checks.ts";
import { choice, duration, flag, integer, named, secret, section, text, texts } from "./fields.ts";
import type { Config, HttpPoolConfig } from "./root.ts";
import { breaker, clientTlsFiles, poolsOf } from "./servers.ts";

const Basic = section("HTTP Basic credentials of this site at the other server.", {
  username: text("Name of this site."),
  password: secret("Password of this site."),
});

const Oauth = section("Access tokens for the other server, by the client credentials grant of OAuth 2.0.", {
  token_url: text("Address of the token endpoint, such as https://central.example.org/oidc/token."),
  client_id: text("Client ID of this site."),
  client_secret: secret("Client secret of this site. It is sent by client_secret_basic."),
  scope: text("Scopes to request, separated by spaces.", { default: "service:authenticate" }),
});

const header = (name: string, what: string) =>
  text(`Header ${what}`, { default: name, form: "header-name", minLength: 1 });

const Headers = section("Names and values in which products with this interface differ.", {
  status: header("Auth-Status", "of a response with the outcome. A response without it is no decision."),
  session: header("X-Service-Session", "of a response with the session, for logs."),
  wait: header("Auth-Wait", "of a denial with the time to wait, in seconds."),
  hops: text(
    "Header of a request with the engines that have passed it on. If empty, the one that this site reads: X-, runtime.naming.identifier, -Hops. The other server must read the same name.",
    { form: "header-name" },
  ),
});

const HttpPool = section(
  "Another server that decides, with the JSON or CBOR endpoint of this interface, or over gRPC.",
  {
    url: texts(
      "Addresses of the endpoint at equivalent servers, such as https://central.example.org/api/v1/auth/json. A query is kept. For grpc, the path is the name of the service, such as https://central.example.org:9444/service.auth.v1.AuthService; if empty, the one with this site's runtime.naming.identifier.",
      { example: ["https://central.example.org/api/v1/auth/json"] },
    ),
    format: choice(["json", "cbor", "grpc"], "Format of the endpoint."),
    protocol: texts("Protocols for which the server is queried. If empty, all.", { form: "protocol" }),
    denial_status: choice(
      ["403", "401"],
      "Status of a denied sign-in; not for grpc. Nauthilus up to 1.12 answers 401.",
    ),
    basic: Basic,
    bearer_token: secret("Access token that is sent as it is."),
    oauth: Oauth,
    headers: Headers,
    max_hops: integer(
      3,
      "Maximum number of engines that may have passed a request on. Beyond it, it is refused as a loop.",
      { minimum: 1, maximum: 8 },
    ),
    ...clientTlsFiles,
    tls_server_name: text(
      "Name that the certificate of the servers, and of a token endpoint on the same host, must have. If empty, the host of the address.",
    ),
    tls_skip_verify: flag("Whether any server certificate is accepted. For tests only."),
    pool_size: integer(
      64,
      "Maximum number of connections to each server. Responses that the other server delays, for an account under attack, occupy one each. For grpc, which needs one connection, of simultaneous requests, together with queue_length.",
      { minimum: 1, maximum: 1024 },
    ),
    queue_length: integer(
      1024,
      "Maximum number of requests that wait for a connection. Further ones are temporary failures.",
    ),
    connect_timeout: duration("3s", "Timeout for establishing a connection, including TLS.", { minimum: 10 }),
    request_timeout: duration(
      "4s",
      "Timeout of a request. It must be below runtime.timeouts.decision, and above the account delay of the other server, which holds its responses.",
      { minimum: 10 },
    ),
    max_response_bytes: integer(
      262_144,
      "Longest response to one request, in bytes. A longer one is a temporary failure.",
      { minimum: 1024, maximum: 1_048_576 },
    ),
    ...breaker("requests"),
    health_check_user: text("Name that health checks look up. It need not exist.", {
      default: "postern-health-check",
      minLength: 1,
    }),
    health_check_protocol: text(
      "Protocol of health checks, which the other server must serve. If empty, the first of protocol, or else imap.",
    ),
  },
);

export const HttpBackend = section("Backends that ask another server of this interface.", {
  default: HttpPool,
  pools: named("Additional servers, by name.", HttpPool),
});

/** The pools that `auth.backends.order` names, with their paths. Pools that do not exist are left out. */
export function httpPoolsOf({ order, http }: Config["auth"]["backends"]) {
  const pools = poolsOf("http", http);
  return order.flatMap((text) => {
    const entry = text.trim();
    const match = /^http(?:\((.+)\))?$/.exec(entry);
    const named = match && pools.find(({ name }) => name === (match[1] ?? "default"));
    return named ? [{ ...named, entry }] : [];
  });
}

/** Checks the servers that the order uses, and that second factors are stored somewhere. */
export function validateRemoteBackends(config: Config, judgement: Judgement): void {
  const { backends } = config.auth;
  const used = httpPoolsOf(backends);
  if (used.length === 0) return;
  for (const { pool, path } of used) {
    validateAddresses(config, pool, path, judgement);
    validateCaller(pool, path, judgement);
    checkPair(pool, path, ["tls_client_cert", "tls_client_key"], judgement);
    if (pool.request_timeout >= config.runtime.timeouts.decision) {
      judgement.warning(`${path}.request_timeout`, messages.remoteTooPatient);
    }
  }
  if (!config.identity.frontend.enabled) return;
  const others = backends.order.filter((entry) => entry !== "cache" && !/^http(?:\(|$)/.test(entry.trim()));
  if (others.length === 0) judgement.problem("auth.backends.order", messages.remoteServesNoPages);
  else judgement.warning("auth.backends.order", messages.remoteUsersHaveNoPages);
}

function validateAddresses(config: Config, pool: HttpPoolConfig, path: string, { problem, warning }: Judgement): void {
  if (pool.url.length === 0) problem(`${path}.url`, messages.needsWhen("auth.backends.order names it"));
  pool.url.forEach((address, index) => {
    const at = `${path}.url[${index}]`;
    const url = URL.parse(address);
    if (!isEndpoint(url)) problem(at, messages.mustBe("an http or https address without a user name and a fragment"));
    else if (isOwn(url, pool, config)) problem(at, messages.remoteIsSelf);
    else if (url.protocol === "http:" && remoteHostOf(address) !== undefined) {
      warning(at, messages.remotePlainHttp(url.hostname));
    }
    if (url?.searchParams.has("mode") === true) problem(at, messages.remoteQueryMode);
  });
}

function isEndpoint(url: URL | null): url is URL {
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  return url.username === "" && url.password === "" && url.hash === "";
}

/** Whether the address is that of a listener of this configuration, as far as the configuration alone shows it. */
function isOwn(url: URL, { format }: HttpPoolConfig, { runtime }: Config): boolean {
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  const { http, grpc } = runtime.servers;
  const listeners = format !== "grpc" ? http.address : grpc.authority.enabled ? [grpc.authority.address] : [];
  return listeners.some((listener) => {
    const own = URL.parse(`tcp://${listener}`);
    if (own === null || own.port !== port) return false;
    const at = own.hostname.replaceAll(/[[\]]/g, "");
    return at === host || ((at === "0.0.0.0" || at === "::" || isLoopback(at)) && isLoopback(host));
  });
}

function validateCaller(pool: HttpPoolConfig, path: string, { problem, warning }: Judgement): void {
  const { basic, bearer_token: token, oauth } = pool;
  const ways = [basic.username, token, oauth.token_url].filter((way) => way !== "");
  if (ways.length > 1) problem(path, messages.oneRemoteCredential);
  if (ways.length === 0 && pool.tls_client_cert === "") warning(path, messages.noRemoteCredential);
  if (basic.username !== "" && basic.password === "") {
    problem(`${path}.basic.password`, messages.needsWhen(`${path}.basic.username is set`));
  }
  if (oauth.token_url !== "") validateOauth(oauth, path, { problem, warning });
}

function validateOauth(
  oauth: HttpPoolConfig["oauth"],
  path: string,
  { problem, warning }: Pick<Judgement, "problem" | "warning">,
): void {
  const tokenUrl = URL.parse(oauth.token_url);
  if (tokenUrl?.protocol === "http:" && !isLoopback(tokenUrl.hostname.replaceAll(/[[\]]/g, "")))
    warning(`${path}.oauth.token_url`, messages.remotePlainTokens);
  if (!isEndpoint(tokenUrl)) problem(`${path}.oauth.token_url`, messages.mustBe("an http or https address"));
  for (const name of ["client_id", "client_secret"] as const) {
    if (oauth[name] === "") problem(`${path}.oauth.${name}`, messages.needsWhen(`${path}.oauth.token_url is set`));
  }
}
