/** The text of a file; tools/bundle/raw-text.ts puts it into the bundle. */
declare module "*?raw" {
  const text: string;
  export default text;
}
