// What stands where a view would be that the page has no engine for.
export function Engineless({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p>
        This view computes in the browser, and this page was built without the engine for it: install Emscripten (on
        Debian <code>apt-get install emscripten node-acorn</code>), then build Fovea again.
      </p>
    </>
  );
}
