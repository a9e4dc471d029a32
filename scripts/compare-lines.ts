/** A printed line without its figures, and the figures in their order. */
export interface PrintedLine {
  readonly text: string
  readonly figures: readonly number[]
}

/** Thousands may have commas. A digit within a word, as in `p99` or `erc20`, belongs to the word. */
const FIGURE = /(?<![\w.])\d[\d,]*(?:\.\d+)?(?!\w)/g

/** Skips lines without figures. The second line with the same text is numbered. */
export function readLines(output: string): readonly PrintedLine[] {
  const seen = new Map<string, number>()
  return output.split('\n').flatMap((line) => {
    const figures = line.match(FIGURE)?.map((figure) => Number(figure.replaceAll(',', ''))) ?? []
    if (figures.length === 0) return []
    const bare = line.replace(FIGURE, '#').replace(/\s+/g, ' ').trim()
    const times = (seen.get(bare) ?? 0) + 1
    seen.set(bare, times)
    return [{ text: times === 1 ? bare : `${bare} (${times})`, figures }]
  })
}

export interface ComparedLine {
  readonly text: string
  /** One entry per figure, with the median of each checkout. */
  readonly figures: readonly { readonly before: number; readonly now: number }[]
}

/** Compares the lines that every run of both checkouts printed. */
export function compareRuns(
  before: readonly (readonly PrintedLine[])[],
  now: readonly (readonly PrintedLine[])[],
): readonly ComparedLine[] {
  const [first] = now
  return (first ?? []).flatMap(({ text, figures }) => {
    const [old, current] = [before, now].map((runs) =>
      runs.map((lines) => lines.find((line) => line.text === text)?.figures),
    ) as [Found, Found]
    if (!isComplete(old) || !isComplete(current)) return []
    return [
      {
        text,
        figures: figures.map((_, at) => ({ before: medianAt(old, at), now: medianAt(current, at) })),
      },
    ]
  })
}

type Found = (readonly number[] | undefined)[]

function isComplete(found: Found): found is (readonly number[])[] {
  return found.every((figures) => figures !== undefined)
}

function medianAt(runs: readonly (readonly number[])[], at: number): number {
  const sorted = runs.map((figures) => figures[at]!).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]!
}
