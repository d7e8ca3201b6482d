import { runService } from "@postern/shared/platform/lifecycle";
import { engine } from "./start.ts";

await runService(engine);
