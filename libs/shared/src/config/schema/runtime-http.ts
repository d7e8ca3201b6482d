import { duration, flag, integer, section, texts } from "./fields.ts";
import { ServerTls } from "./tls.ts";

const endpoint = (what: string) => flag(false, { description: `Answer 404 on ${what}.`, reload: "live" });

const DisabledEndpoints = section("Switches parts of the back channel off.", {
  auth_header: endpoint("the header endpoint"),
  auth_json: endpoint("the JSON endpoint"),
  auth_cbor: endpoint("the CBOR endpoint"),
  auth_basic: endpoint("the Basic endpoint"),
  auth_proxy: endpoint("the proxy-style endpoint"),
  auth_sasl: endpoint("the SASL-style endpoint"),
  auth_jwt: endpoint("the JWT endpoints"),
  custom_hooks: flag(false, { description: "Answer 403 on custom hooks.", reload: "live" }),
  configuration: endpoint("the configuration endpoint"),
});

const Middlewares = section("Layers that a request passes.", {
  rate: flag(true, { description: "Per-client rate limit and failure budget." }),
  limit: flag(true, { description: "Bound on concurrent requests, auth.pipeline.max_concurrent_requests." }),
  request_decompression: flag(true, { description: "Accept request bodies in gzip, Brotli and Zstandard." }),
});

const RateLimit = section("Token bucket of one client address.", {
  per_second: integer(100, { description: "Refill.", unit: "tokens/s", minimum: 1, reload: "live" }),
  burst: integer(200, { description: "Depth.", unit: "tokens", minimum: 1, reload: "live" }),
  ipv6_prefix: integer(64, {
    description: "Length of the IPv6 network that counts as one client.",
    unit: "bits",
    minimum: 16,
    maximum: 128,
    reload: "live",
  }),
});

const OpenapiValidation = section(
  "Requests are compared with the OpenAPI document before a route sees them.",
  {
    enabled: flag(false, { description: "Compare." }),
    enforce: flag(false, { description: "Answer 400 where a request differs; otherwise it is only logged." }),
    operations: texts([], {
      description:
        "Operations that are compared; another name is refused: flushUserCache, enqueueUserCacheFlush, flushBruteForceRule, enqueueBruteForceRuleFlush, listBruteForceEntries, listFilteredBruteForceEntries.",
    }),
  },
  { reload: "live" },
);

/** The gateway's listeners and what guards them. */
export const HttpServer = section("The gateway's HTTP listeners.", {
  address: texts(["127.0.0.1:9080"], {
    description: "Addresses of the back channel, and of everything while frontend_address is empty.",
    form: "host-port",
    minItems: 1,
  }),
  frontend_address: texts([], {
    description: "Addresses of the front channel (login, OIDC, SAML); empty serves it with the back channel.",
    form: "host-port",
  }),
  trusted_proxies: texts(["127.0.0.1", "::1"], {
    description: "Peers whose client-address headers count, as addresses or networks.",
    form: "network",
    reload: "live",
  }),
  disabled_endpoints: DisabledEndpoints,
  auth_basic_endpoint: flag(false, { description: "Offer GET /api/v1/auth/basic." }),
  middlewares: Middlewares,
  rate_limit: RateLimit,
  openapi_validation: OpenapiValidation,
  tls: ServerTls,
  max_body_bytes: integer(1_048_576, {
    description: "Largest request body, also after decompression.",
    unit: "bytes",
    minimum: 1024,
    maximum: 16_777_216,
  }),
  request_timeout: duration("10s", { description: "Time for a whole request to arrive.", minimum: 100 }),
});
