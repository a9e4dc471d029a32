/** Splits documents, comments and strings into sentences. */
const FENCE = /^( *)(```|~~~)[\s\S]*?^\1\2[^\n]*$/gm

/** The sentences of a Markdown document: paragraphs, headings, list items and table cells, without code. */
export function markdownSentences(text: string): string[] {
  const prose = text
    .replace(FENCE, '\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/<[^>\n]+>/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
  const blocks = prose
    .split('\n')
    .map((line) => (/^\s*\|/.test(line) ? tableCells(line) : line))
    .join('\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.|#+|>) )/)
  return blocks.flatMap((block) => plainSentences(block.replace(/^\s*(?:[-*+]|\d+\.|#+|>)\s+/, '')))
}

function tableCells(line: string): string {
  return `\n${line
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '' && !/^[:-]+$/.test(cell))
    .join('\n\n')}\n`
}

const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx|no|Inc)\.$/i

/** The sentences of running text. Code and values become `X`, so only words count. */
export function plainSentences(text: string): string[] {
  const flat = text
    .replace(/`[^`\n]+`/g, 'X')
    .replace(/\$\{[^}]*\}/g, 'X')
    .replace(/https?:\/\/\S+/g, 'X')
    .replace(/[*_]{1,3}(?=\S)|(?<=\S)[*_]{1,3}(?=\W|$)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentences: string[] = []
  let from = 0
  for (const { index } of flat.matchAll(/[.!?]["')\]]*(?= +["'([]?[A-Z0-9`])/g)) {
    const end = flat.indexOf(' ', index)
    if (ABBREVIATION.test(flat.slice(from, index + 1))) continue
    sentences.push(flat.slice(from, end))
    from = end + 1
  }
  sentences.push(flat.slice(from))
  return sentences.map((sentence) => sentence.trim()).filter(isProse)
}

/** At least three words: names, paths and single values are not sentences. */
function isProse(text: string): boolean {
  return (text.match(/(?<![\w/.-])[A-Za-z][a-z'-]*(?![\w/])/g) ?? []).length >= 3
}
