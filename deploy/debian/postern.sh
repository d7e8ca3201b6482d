#!/bin/sh
# The command line, on the Node of the package.
exec /usr/lib/postern/bin/node /usr/lib/postern/cli/dist/bundle/main.js "$@"
