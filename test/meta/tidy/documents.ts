/** Checks that documents name existing files. */
import type { SourceFile } from './source.ts'

const CODE = /```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`|\]\(([^)#]+)/g
const PATH = /^(?:[\w.-]+\/)+(?:[\w.-]+)?$|^[\w-][\w.-]*\.(?:ts|md|io)$/

/**
 * Paths that a document names and that are not in `known`. They may be short: `bft/rules.ts` is any file with this
 * ending, `qbft/` any folder. `elsewhere` lists paths outside the checkout.
 */
export function missingPaths(
  { path: document, text }: SourceFile,
  known: readonly string[],
  elsewhere: readonly string[] = [],
): string[] {
  const exists = (path: string): boolean =>
    known.some(
      (file) => `/${file}`.endsWith(`/${path}`) || `/${file}`.includes(`/${path.replace(/\/$/, '')}/`),
    )
  return [...text.matchAll(CODE)]
    .flatMap(([, fence, inline, link]) => (fence ?? inline ?? link)!.split(/[\s'",;()[\]]+/))
    .filter((word) => PATH.test(word) && !word.startsWith('.') && !elsewhere.includes(word))
    .filter((word) => !exists(word))
    .map((word) => `${document}: names ${word}, which does not exist`)
}

const MAX_SCRIPTS = 25

/** Scripts of package.json: few, and each has a row in a document's table. */
export function scriptProblems(scripts: readonly string[], document: SourceFile): string[] {
  const isListed = (name: string) => new RegExp(`^\\| \`${name}( [^\`]*)?\` \\|`, 'm').test(document.text)
  return [
    ...(scripts.length > MAX_SCRIPTS
      ? [`package.json: ${scripts.length} scripts, at most ${MAX_SCRIPTS}`]
      : []),
    ...scripts
      .filter((name) => !isListed(name))
      .map((name) => `${document.path}: its table of scripts lacks ${name}`),
  ]
}
