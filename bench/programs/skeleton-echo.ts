// Echoes its requests. Usage: skeleton-echo.ts NATS_URL
import { connectBus } from "@postern/shared/platform/bus";
import { echo } from "./echo-method.ts";

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const bus = await connectBus({ servers: [process.argv[2] ?? ""], namespace: "bench", name: "echo", logger: silent });
bus.rawServe(echo, (body) => body);
