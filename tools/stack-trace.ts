// Replaces positions in bundles with source positions in stack traces. Usage: tools/stack-trace.ts < log
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { sourcePlacesIn } from "./bundle/source-places.ts";

process.stdout.write(sourcePlacesIn(join(import.meta.dirname, ".."))(await text(process.stdin)));
