/** A role of Redis; without the optional members its server does not answer. */
export interface RedisRoleState {
  readonly role: string;
  readonly state: "up" | "down";
  readonly latency_ms?: number;
  readonly used_bytes?: number;
  readonly max_bytes?: number;
}

export type ReadRedisRoles = () => Promise<readonly RedisRoleState[]>;
