// Builds the files of the console: one script, one style sheet, one document. `scripts/build.ts` puts them into the package,
// and a checkout builds them when a browser asks for the first one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { PageName } from '#console/pages.ts'

const folder = join(import.meta.dirname, 'console')

export async function buildPages(): Promise<Record<PageName, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(folder, 'main.tsx'), out: 'page' },
      { in: join(folder, 'style.css'), out: 'page' },
    ],
    outdir: folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const output = (name: string) => outputFiles.find(({ path }) => path.endsWith(name))!.contents
  return {
    'index.html': readFileSync(join(folder, 'index.html')),
    'icon.svg': readFileSync(join(folder, 'icon.svg')),
    'page.js': output('page.js'),
    'page.css': output('page.css'),
  }
}
