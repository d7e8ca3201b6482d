/** A service, by the name of its process. */
type ServiceName = "gateway" | "auth-engine" | "idp" | "admin" | "jobs-worker";

/** To connect, and to run scripts and transactions. */
const connection = "client|setname cluster|info cluster|slots discard eval evalsha exec multi ping select";

/** Commands of the code that all services share. */
const common =
  "del exists expire expireat get hgetall hincrby llen lpush lrange lset ltrim mget pttl set time unlink xadd xrevrange xtrim zadd zcard zcount zincrby zpopmin zrange zrank zrem zremrangebyrank zremrangebyscore zrevrange zscore";

/** Commands of BullMQ, for services that queue jobs or run them. */
const jobs =
  "hdel hexists hget hlen hmget hmset hset incr incrby lindex lpop lpos lrem persist pexpire pexpireat rename rpop rpoplpush rpush sadd scard sismember smembers srem type xdel xlen xrange xread zlexcount zrangebylex zrangebyscore zrevrangebyscore";

const commandsOf = (...lists: readonly string[]): readonly string[] =>
  [...new Set(lists.join(" ").split(" "))].toSorted();

/** The commands that the Redis user of a service must be permitted to run, as Redis names them in ACL rules. */
export const redisCommands: Readonly<Record<ServiceName, readonly string[]>> = {
  gateway: commandsOf(connection, common),
  "auth-engine": commandsOf(
    connection,
    common,
    "client|caching client|id client|tracking hdel hget hlen hmget hset hsetnx incr pexpire pfadd pfcount sadd scard sismember subscribe type zmscore zscan",
  ),
  idp: commandsOf(connection, common, jobs, "decr getdel hsetnx hvals ttl zmscore"),
  admin: commandsOf(connection, common, jobs, "getdel getex pfcount zscan"),
  "jobs-worker": commandsOf(connection, common, jobs, "bzpopmin"),
};

/** With these, a service also notices a Redis that is loading its data, one that has become a replica, and one whose memory is almost full. */
export const usefulRedisCommands: readonly string[] = ["info", "role"];
