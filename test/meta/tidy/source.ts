import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SourceFile {
  /** Relative to the checkout, with forward slashes: `src/types/hex.ts`. */
  readonly path: string
  readonly text: string
}

export interface Import {
  readonly specifier: string
  readonly line: number
  /** An `import type`, which does not exist at run time. */
  readonly typeOnly: boolean
}

/** Every TypeScript file below a folder of the checkout. */
export function readSources(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(root.length + 1), text: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

export const isTest = (path: string) => /\.(test|fixture)\.ts$/.test(path)

/** `src/jsonrpc/auth/grants.ts` is in the room `rpc`; files directly in src are in none. */
export function roomOf(path: string): string | undefined {
  const [top, room, file] = path.split('/')
  return top === 'src' && file !== undefined ? room : undefined
}

const STATEMENT =
  /(?:^|\n)[ \t]*(import|export)\b([^'"`;]*?)\bfrom\s*['"]([^'"]+)['"]|(?:^|\n)[ \t]*import\s*['"]([^'"]+)['"]|\b(?:import|import\.meta\.resolve)\(\s*['"]([^'"]+)['"]/g

export function importsOf(file: SourceFile): Import[] {
  const text = blankOutComments(file.text)
  return [...text.matchAll(STATEMENT)].map((match) => ({
    specifier: (match[3] ?? match[4] ?? match[5])!,
    line: text.slice(0, match.index + 1).split('\n').length,
    typeOnly: /^\s*type\b/.test(match[2] ?? ''),
  }))
}

/** The file of an import inside src, as a path in the checkout; undefined for packages. */
export function resolveImport(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('#')) return `src/${specifier.slice(1)}`
  if (specifier.startsWith('./')) return join(from, '..', specifier)
  return undefined
}

/** Replaces comments by spaces of the same length, so line numbers stay correct. */
export function blankOutComments(text: string): string {
  return scan(text, { strings: false })
}

/** Replaces comments and string contents by spaces, so only code is left. */
export function codeOf(text: string): string {
  return scan(text, { strings: true })
}

const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g

function scan(text: string, { strings }: { strings: boolean }): string {
  return text.replace(TOKEN, (token) => {
    if (token.startsWith('/')) return token.replace(/[^\n]/g, ' ')
    if (!strings) return token
    // The expressions of a template are code.
    const kept = token.startsWith('`') ? [...token.matchAll(/\$\{[^}]*\}/g)] : []
    let blank = token.replace(/[^\n]/g, ' ')
    for (const part of kept)
      blank = blank.slice(0, part.index) + part[0] + blank.slice(part.index + part[0].length)
    return blank
  })
}
