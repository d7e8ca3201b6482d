export { type ChildServer, type ChildServerOptions, startChildServer } from "./child-server.ts";
export { freePort } from "./free-port.ts";
export { pause } from "./pause.ts";
export { poll } from "./poll.ts";
export { scratchFolder } from "./scratch-folder.ts";
export { type NatsServer, type SpawnNatsOptions, spawnNats } from "./spawn-nats.ts";
export { type SpawnNginxOptions, spawnNginx } from "./spawn-nginx.ts";
export { type RedisServer, type SpawnRedisOptions, spawnRedis } from "./spawn-redis.ts";
export { type Slapd, type SpawnSlapdOptions, spawnSlapd } from "./spawn-slapd.ts";
