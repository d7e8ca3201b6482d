import { duration, flag, integer, section, text } from "./fields.ts";
import { Bus } from "./runtime-bus.ts";
import { GrpcServer } from "./runtime-grpc.ts";
import { HttpServer } from "./runtime-http.ts";
import { Services } from "./runtime-services.ts";

const Naming = section("Words on the wire, for sites that keep their clients' configuration.", {
  identifier: text("service", {
    description: "Word in header names, scopes, the audience and metric names.",
    form: "identifier",
    minLength: 1,
  }),
  proxy_segment: text("proxy", {
    description: "Path segment of the proxy-style endpoint.",
    form: "path-segment",
    minLength: 1,
  }),
  sasl_segment: text("sasl", {
    description: "Path segment of the SASL-style endpoint.",
    form: "path-segment",
    minLength: 1,
  }),
});

const Timeouts = section("How long anything may take.", {
  decision: duration("5s", { description: "One decision as the gateway sees it.", minimum: 50, reload: "live" }),
  redis_read: duration("1s", { description: "One Redis command that reads.", minimum: 10 }),
  redis_write: duration("2s", { description: "One Redis command that writes.", minimum: 10 }),
  ldap_search: duration("3s", { description: "One LDAP search.", minimum: 10 }),
  ldap_bind: duration("3s", { description: "One LDAP bind.", minimum: 10 }),
  ldap_modify: duration("5s", { description: "One LDAP modification.", minimum: 10 }),
  sql_query: duration("2s", { description: "One SQL query.", minimum: 10 }),
  lua_backend: duration("5s", { description: "One run of a script in a decision.", minimum: 10, reload: "live" }),
  lua_script: duration("30s", { description: "One run of a hook or an action.", minimum: 10, reload: "live" }),
  shutdown_delay: duration("0s", {
    description: "Time between taking readiness back and stopping, for load balancers to notice.",
    reload: "live",
  }),
  shutdown_grace: duration("10s", { description: "Time for requests in flight to end when stopping.", reload: "live" }),
});

const Jobs = section("Flushes that run in the background.", {
  retention: duration("24h", {
    description: "How long the record of a job can be read after its end.",
    minimum: 1000,
    maximum: 2_592_000_000,
  }),
  concurrency: integer(8, { description: "Jobs that one worker runs at a time.", minimum: 1, maximum: 256 }),
  max_queued: integer(100_000, { description: "Jobs that may wait; further ones are refused.", minimum: 1 }),
});

/** How the processes run: listeners, names, timeouts, and the ways between the services. */
export const Runtime = section("How the processes run.", {
  instance_name: text("postern", { description: "Name of this installation in logs and metrics.", minLength: 1 }),
  developer_mode: flag(false, { description: "Offer the developer's pages. Not for production." }),
  naming: Naming,
  servers: section("Listeners.", { http: HttpServer, grpc: GrpcServer }),
  timeouts: Timeouts,
  services: Services,
  jobs: Jobs,
  bus: Bus,
});
