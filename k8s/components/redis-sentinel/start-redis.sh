#!/bin/sh
# Starts Redis as a replica of the master that the sentinels know, or, in a new namespace, of redis-0.
set -eu
export REDISCLI_AUTH="$(cat /run/secrets/postern/redis_password)"
self="$HOSTNAME.redis"
master=""
for peer in redis-0.redis redis-1.redis redis-2.redis; do
  [ -n "$master" ] || master="$(timeout 2 redis-cli -h "$peer" -p 26379 sentinel get-master-addr-by-name postern 2>/dev/null | head -n 1)" || master=""
done
[ -n "$master" ] || master=redis-0.redis
role=""
[ "$master" = "$self" ] || role="--replicaof $master 6379"
# shellcheck disable=SC2086
exec redis-server --dir /data --appendonly yes --appendfsync everysec --save '' --maxmemory 256mb \
  --maxmemory-policy noeviction --requirepass "$REDISCLI_AUTH" --masterauth "$REDISCLI_AUTH" \
  --replica-announce-ip "$self" --min-replicas-to-write 1 --min-replicas-max-lag 10 $role
