/** What documents say of files is true. */
import type { SourceFile } from './source.ts'

const CODE = /```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`|\]\(([^)#]+)/g
const PATH = /^(?:[\w.-]+\/)+(?:[\w.-]+)?$|^[\w-][\w.-]*\.(?:ts|md|io)$/

/**
 * Paths that a document names and that nothing in `known` has. They may be short: `bft/rules.ts` is any file that ends so,
 * `qbft/` any folder. `elsewhere` are those that are not in the checkout.
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
