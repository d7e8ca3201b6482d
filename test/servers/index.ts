export {
  type ChildServer,
  type ChildServerOptions,
  type ServerPlace,
  startChildServer,
  stopRunningServers,
} from "./child-server.ts";
export type { DatabaseServer } from "./database-server.ts";
export { type DnsAnswer, type DnsServer, startDnsServer } from "./dns-server.ts";
export { freePort } from "./free-port.ts";
export { type MmdbValue, mmdbFile } from "./mmdb-file.ts";
export { pause } from "./pause.ts";
export { poll } from "./poll.ts";
export { scratchFolder } from "./scratch-folder.ts";
export { type Apache, type ApacheSite, changeOwner, type SpawnApacheOptions, spawnApache } from "./spawn-apache.ts";
export { type DoveadmOutcome, type Dovecot, type SpawnDovecotOptions, spawnDovecot } from "./spawn-dovecot.ts";
export { type SpawnHaproxyOptions, spawnHaproxy } from "./spawn-haproxy.ts";
export { type SpawnMariadbOptions, spawnMariadb } from "./spawn-mariadb.ts";
export { type NatsServer, type SpawnNatsOptions, spawnNats } from "./spawn-nats.ts";
export { type SpawnNginxOptions, spawnNginx } from "./spawn-nginx.ts";
export { type Postfix, spawnPostfix } from "./spawn-postfix.ts";
export { type SpawnPostgresqlOptions, spawnPostgresql } from "./spawn-postgresql.ts";
export {
  type RedisServer,
  redisUserOf,
  redisUserPassword,
  redisUserRules,
  type SpawnRedisOptions,
  spawnRedis,
} from "./spawn-redis.ts";
export { type RedisCluster, spawnRedisCluster } from "./spawn-redis-cluster.ts";
export { type RedisSentinel, spawnRedisSentinel } from "./spawn-redis-sentinel.ts";
export { type Shibd, type SpawnShibdOptions, spawnShibd } from "./spawn-shibd.ts";
export { type Slapd, type SpawnSlapdOptions, spawnSlapd } from "./spawn-slapd.ts";
export { unprivileged } from "./unprivileged.ts";
