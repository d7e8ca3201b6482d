import style from "swagger-ui-dist/swagger-ui.css?raw";
import script from "swagger-ui-dist/swagger-ui-bundle.js?raw";
import type { ViewerFiles } from "./api-viewer.ts";

/** Part of the bundle: the browser loads them from the console and from nowhere else. */
export const viewerFiles: ViewerFiles = { script, style };
