// Argon2id (the default of the package) with the directory's parameters, one at a time for each core and nothing else. Asked by messages of its parent.
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hashRaw } from "@node-rs/argon2";
import { repeatOnMessage } from "./repeat.ts";

const salt = randomBytes(16);
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32, salt };

repeatOnMessage(async (nth) => void (await hashRaw(`password ${nth}`, options)), availableParallelism());
