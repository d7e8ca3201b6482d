import { expect, test } from "vitest";
import { loadConfig } from "./load.ts";
import { formatProblem } from "./problem.ts";

/** Keys of the compatible product's current tree, in one file. */
const compatibleTree = `
x-pool: &pool { lookup_pool_size: 4, lookup_idle_pool_size: 2, auth_pool_size: 4, auth_idle_pool_size: 1 }
runtime:
  instance_name: mail
  process: { run_as_user: mail, chroot: "" }
  servers:
    http:
      address: 127.0.0.1:9080
      http3: false
      haproxy_v2: false
      trusted_proxies: [127.0.0.1, "::1", 10.0.0.0/8]
      tls: { enabled: false, cipher_suites: [a], skip_verify: false, min_tls_version: TLS1.2 }
      disabled_endpoints: { auth_nginx: true, auth_jwt: true, custom_hooks: true, configuration: true }
      middlewares: { logging: true, limit: true, recovery: true, request_decompression: true, metrics: true, rate: true }
      compression: { enabled: true, algorithms: [br, gzip], level_gzip: 5 }
      keep_alive: { enabled: true, timeout: 30s }
      rate_limit: { per_second: 100, burst: 200 }
      cors: { enabled: false, policies: [] }
      security_txt: { enabled: false }
      openapi_validation: { enabled: false, enforce: false, operations: [] }
    grpc: { authority: { enabled: false, address: 127.0.0.1:9444 } }
  timeouts: { redis_read: 1s, redis_write: 2s, ldap_search: 3s, ldap_bind: 3s, lua_backend: 5s, lua_script: 30s }
  clients: { http: { dns: { resolver: a, timeout: 5s } } }
observability:
  log: { json: true, color: false, level: info, add_source: false, debug_modules: [auth] }
  tracing: { enabled: false, exporter: none, propagators: [b3] }
  metrics:
    monitor_connections: true
    prometheus_timer: { enabled: true, labels: [auth] }
    endpoint_auth: { basic: { enabled: true, username: m, password: a-metrics-password } }
  profiles: { pprof: { enabled: false } }
storage:
  redis:
    database_number: 2
    prefix: "nt:"
    password_nonce: sixteen-letters-and-more
    encryption_secret: sixteen-letters-and-more
    pool_size: 10
    positive_cache_ttl: 3600s
    negative_cache_ttl: 3600s
    primary: { address: "127.0.0.1:6379", username: u, password: p }
    replica: { addresses: [] }
    cluster: { addresses: [], route_by_latency: false, max_redirects: 3, read_timeout: 1s }
    dial_timeout: 5s
    read_timeout: 1s
    pool_fifo: true
    max_retries: 1
    protocol: 3
    account_local_cache: { enabled: true, ttl: 60s }
    batching: { enabled: true }
    identity_cache: { enabled: true }
auth:
  request: { headers: { username: Auth-User, external_session_id: X-External-Session-ID, client_host: "" } }
  backchannel:
    basic_auth: { enabled: true, username: backchannel, password: sixteen-letters-and-more }
    oidc_bearer: { enabled: true }
  pipeline:
    max_concurrent_requests: 1000
    max_login_attempts: 15
    wait_delay: 10
    local_cache_ttl: 30s
    password_history: { max_entries: 100 }
    master_user: { enabled: true, user_format: "{user}*{master}" }
  upstreams: { imap: { address: 127.0.0.1, port: 143 } }
  backends:
    order: [cache, ldap, "ldap(second)"]
    lua: { backend: { default: { backend_script_path: a.lua } } }
    ldap:
      default: { <<: *pool, server_uri: ["ldap://ldap.example.test/"], bind_dn: cn=a, bind_pw: b, number_of_workers: 10 }
      pools: { second: { <<: *pool, server_uri: ["ldapi://%2Frun%2Fldapi"], sasl_external: true } }
      search:
        - protocol: [imap, pop3]
          cache_name: dovecot
          base_dn: ou=people
          scope: sub
          filter: { user: "(uid=%L{user})", list_accounts: (uid=*) }
          mapping: { account_field: uid, totp_secret_field: totp, unique_user_id_field: entryUUID }
          attribute: [uid, mail]
          groups: { strategy: member_of, attribute: memberOf, recursive: true, max_depth: 4 }
        - { protocol: [smtp], cache_name: s, pool_name: second, base_dn: o, filter: { user: (uid=%s) }, mapping: { account_field: uid } }
  controls: { enabled: [brute_force], brute_force: { buckets: [{ name: a, period: 1h, cidr: 24, failed_requests: 10 }] } }
  services: { enabled: [], backend_health_checks: { targets: [] } }
  policy: { mode: enforce, default_policy: standard_auth }
identity:
  session: { remember_me_ttl: 1h }
  frontend: { enabled: true, encryption_secret: "0123456789abcdef" }
  mfa: { totp: { issuer: a } }
  oidc: { enabled: true, issuer: "https://a.test" }
  saml: { enabled: true, entity_id: a }
`;

test("a file of the compatible product's current tree loads", () => {
  const result = loadConfig({ text: compatibleTree, env: {}, readFile: () => "" });
  expect(result.ok ? [] : result.problems.map(formatProblem)).toEqual([]);
});

test("each of its keys without effect causes one warning", () => {
  const { warnings } = loadConfig({ text: compatibleTree, env: {}, readFile: () => "" });
  const withoutEffect = warnings
    .filter(({ reason }) => reason === "has no effect in this version")
    .map(({ path }) => path);
  expect(withoutEffect).toContain("auth.services.enabled");
  expect(withoutEffect).toContain("storage.redis.cluster.max_redirects");
  expect(new Set(withoutEffect).size).toBe(withoutEffect.length);
  expect(withoutEffect.length).toBeGreaterThan(30);
});
