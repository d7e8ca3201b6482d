#!/bin/sh
# Starts the sentinel. Its file is kept on the volume, so that a restarted sentinel is not counted as a further one.
set -eu
file=/data/sentinel.conf
password="$(cat /run/secrets/postern/redis_password)"
if [ ! -s "$file" ]; then
  cat >"$file.new" <<CONF
port 26379
dir /data
sentinel resolve-hostnames yes
sentinel announce-hostnames yes
sentinel announce-ip $HOSTNAME.redis
sentinel monitor postern redis-0.redis 6379 2
sentinel down-after-milliseconds postern 3000
sentinel failover-timeout postern 15000
sentinel parallel-syncs postern 1
sentinel auth-pass postern $password
sentinel sentinel-pass $password
requirepass $password
CONF
  mv "$file.new" "$file"
fi
# The host name of redis-0 must be known, or the sentinel ends and is started again.
exec redis-server "$file" --sentinel
