import { copyFileSync, createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const NAME = 'mermaid.tiny.js'
const FILE = join(import.meta.dirname, '../../node_modules/@mermaid-js/tiny/dist', NAME)

/** Mermaid is served from the site, as its authors bundled it. */
export function copyMermaid(outDir: string): void {
  copyFileSync(FILE, join(outDir, NAME))
}

/** The same file while pages are being written. */
export const serveMermaid: Plugin = {
  name: 'serve-mermaid',
  configureServer(server) {
    server.middlewares.use(`/${NAME}`, (_request, response) => {
      response.setHeader('content-type', 'text/javascript')
      createReadStream(FILE).pipe(response)
    })
  },
}
