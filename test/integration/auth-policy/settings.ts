import { type Stack, startStack } from "../../support/stack.ts";
import { merged, type Tree } from "../../support/stack-config.ts";

/** Ten failures from an IPv4 /32 ban it. Two engines, and no backend: mail servers verify the passwords. */
const settings: Tree = {
  runtime: { servers: { http: { auth_policy_endpoint: true } } },
  auth: {
    controls: {
      enabled: ["brute_force"],
      brute_force: {
        buckets: [
          { name: "ipv4", period: "10m", ban_time: "1h", cidr: 32, failed_requests: 10, ipv4: true },
          { name: "ipv6", period: "10m", ban_time: "1h", cidr: 64, failed_requests: 10, ipv6: true },
        ],
        ip_allowlist: ["203.0.113.250"],
        without_redis: { retry_interval: "100ms" },
        account_delay: { failures: 10, max_delay: "5s" },
      },
    },
  },
};

export function startPolicyStack(more: Tree = {}): Promise<Stack> {
  return startStack({ engines: 2, redis: true, backends: { order: [] }, settings: merged(settings, more) });
}
