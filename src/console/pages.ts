import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { kindOfPath, readFileBounded } from '#platform/files/files.ts'
import { PROGRAM_ROOT } from '#platform/thread/own-modules.ts'

/** The package has the built pages here; a checkout does not. */
const BUILT = fileURLToPath(new URL('console/pages/', PROGRAM_ROOT))
const MAX_FILE_BYTES = 4 * 1024 * 1024

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

export type PageName = keyof typeof TYPES
export const PAGE_NAMES = Object.keys(TYPES) as PageName[]

/** A file of the console, ready to be sent. */
export interface Page {
  readonly contentType: string
  readonly plain: Buffer
  readonly packed: Buffer
}

/** By path. A checkout builds them when a browser asks for the first one. */
export async function loadPages(): Promise<ReadonlyMap<string, Page>> {
  const isBuilt = kindOfPath(BUILT) === 'directory'
  const files = isBuilt ? readBuilt() : await buildNow()
  const pages = await Promise.all(
    PAGE_NAMES.map(async (name) => [`/${name}`, await createPage(name, files[name])] as const),
  )
  const byPath = new Map<string, Page>(pages)
  return byPath.set('/', byPath.get('/index.html')!)
}

function readBuilt(): Record<PageName, Uint8Array> {
  const entries = PAGE_NAMES.map((name) => [name, readFileBounded(`${BUILT}${name}`, MAX_FILE_BYTES)])
  return Object.fromEntries(entries)
}

/** Only in a checkout: the package has neither this module nor the bundler. */
async function buildNow(): Promise<Record<PageName, Uint8Array>> {
  const builder = new URL('../web/build-pages.ts', PROGRAM_ROOT)
  const { buildPages } = (await import(builder.href)) as {
    buildPages(): Promise<Record<PageName, Uint8Array>>
  }
  return await buildPages()
}

async function createPage(name: PageName, bytes: Uint8Array): Promise<Page> {
  const plain = Buffer.from(bytes)
  return {
    contentType: TYPES[name],
    plain,
    packed: await promisify(gzip)(plain, { level: constants.Z_BEST_COMPRESSION }),
  }
}
