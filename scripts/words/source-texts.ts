import { LanguageVariant, SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

/** Texts that people read, taken from one TypeScript file. */
export interface SourceTexts {
  readonly comments: readonly string[]
  /** Values of `help` and `summary`. */
  readonly help: readonly string[]
  /** Messages of log lines. */
  readonly log: readonly string[]
  /** Names of tests and suites. */
  readonly tests: readonly string[]
  /** Every other string with several words: most are errors and answers. */
  readonly strings: readonly string[]
}
type TextKind = Exclude<keyof SourceTexts, 'comments'>

const LOG_CALLS = new Set(['debug', 'error', 'fatal', 'info', 'trace', 'warn'])
const TEST_CALLS = new Set(['suite', 'test'])
const HELP_KEYS = new Set(['help', 'summary'])

/** After these a slash divides; after anything else it begins a regular expression. */
const OPERAND_ENDS = new Set<SyntaxKind>([
  SyntaxKind.Identifier,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
])

interface Token {
  readonly kind: SyntaxKind
  readonly text: string
}

/** Reads a file token by token, so code inside strings and strings inside comments are not confused. */
export function sourceTexts(text: string): SourceTexts {
  const { tokens, comments } = tokensOf(text)
  const found: Record<TextKind, string[]> = { help: [], log: [], tests: [], strings: [] }
  let kind: TextKind = 'strings'
  const outer: TextKind[] = []
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    if (token.text === '(') {
      outer.push(kind)
      kind = callKind(tokens, at) ?? (kind === 'help' ? 'help' : 'strings')
    } else if (token.text === ')') kind = outer.pop() ?? 'strings'
    else if (token.text === '{' || token.text === '[') {
      outer.push(kind)
      kind = kind === 'help' ? 'help' : 'strings'
    } else if (token.text === '}' || token.text === ']') kind = outer.pop() ?? 'strings'
    else if (token.text === ',' && kind !== 'strings') kind = 'strings'
    else if (token.text === ':' && before !== undefined && HELP_KEYS.has(before.text)) kind = 'help'
    else if (isText(token.kind)) {
      const joined = before?.text === '+' && found[kind].length > 0 ? found[kind].pop() : ''
      found[kind].push(`${joined}${token.text}`)
    }
  }
  return { comments, ...found }
}

/** `log.info(` and `test(`: the first argument is a message or a name. */
function callKind(tokens: readonly Token[], at: number): TextKind | undefined {
  const name = tokens[at - 1]?.text ?? ''
  if (TEST_CALLS.has(name)) return 'tests'
  const owner = tokens[at - 2]?.text === '.' ? (tokens[at - 3]?.text ?? '') : ''
  return LOG_CALLS.has(name) && /log$/i.test(owner.replace('#', '')) ? 'log' : undefined
}

function isText(kind: SyntaxKind): boolean {
  return (
    kind === SyntaxKind.StringLiteral ||
    kind === SyntaxKind.NoSubstitutionTemplateLiteral ||
    kind === SyntaxKind.TemplateHead
  )
}

function tokensOf(text: string): { tokens: Token[]; comments: string[] } {
  const scanner = createScanner(false, LanguageVariant.Standard, text)
  const tokens: Token[] = []
  const comments = new Comments()
  /** Open braces; `true` is one that a template opened. */
  const braces: boolean[] = []
  /** Index of the first part of each open template; the parts become one text. */
  const heads: number[] = []
  for (;;) {
    let kind = scanner.scan()
    if (kind === SyntaxKind.EndOfFile) break
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      const before = tokens.at(-1)
      if (before === undefined || !OPERAND_ENDS.has(before.kind)) kind = scanner.reScanSlashToken()
    }
    if (kind === SyntaxKind.CloseBraceToken && braces.pop() === true)
      kind = scanner.reScanTemplateToken(false)
    if (kind === SyntaxKind.OpenBraceToken) braces.push(false)
    if (kind === SyntaxKind.TemplateHead || kind === SyntaxKind.TemplateMiddle) braces.push(true)

    if (kind === SyntaxKind.SingleLineCommentTrivia) comments.line(scanner.getTokenText())
    else if (kind === SyntaxKind.MultiLineCommentTrivia) comments.block(scanner.getTokenText())
    else if (kind === SyntaxKind.TemplateMiddle || kind === SyntaxKind.TemplateTail) {
      const head = heads.at(-1)!
      tokens[head] = {
        kind: SyntaxKind.TemplateHead,
        text: `${tokens[head]!.text}X${scanner.getTokenValue()}`,
      }
      if (kind === SyntaxKind.TemplateTail) {
        heads.pop()
        tokens.push({ kind, text: '' })
      }
    } else if (kind === SyntaxKind.NewLineTrivia) comments.newLine()
    else if (kind !== SyntaxKind.WhitespaceTrivia) {
      comments.code()
      if (kind === SyntaxKind.TemplateHead) heads.push(tokens.length)
      const value = isText(kind) ? scanner.getTokenValue() : scanner.getTokenText()
      tokens.push({ kind, text: value })
    }
  }
  return { tokens, comments: comments.texts }
}

/** Joins line comments that follow each other, and removes the marks of block comments. */
class Comments {
  readonly texts: string[] = []
  #joins = false
  #isAfterCode = false

  line(text: string): void {
    const bare = text.replace(/^\/\/+ ?/, '')
    if (/^ ?(?:biome-ignore|@ts-|#)/.test(bare)) return
    if (this.#joins) this.texts.push(`${this.texts.pop()}\n${bare}`)
    else this.texts.push(bare)
    this.#joins = !this.#isAfterCode
  }

  block(text: string): void {
    this.texts.push(
      text
        .replace(/^\/\*+|\*+\/$/g, '')
        .replace(/^\s*\* ?/gm, '')
        .replace(/^@\w+( \{[^}]*\})?/gm, ''),
    )
    this.#joins = false
  }

  code(): void {
    this.#joins = false
    this.#isAfterCode = true
  }

  newLine(): void {
    this.#isAfterCode = false
  }
}
