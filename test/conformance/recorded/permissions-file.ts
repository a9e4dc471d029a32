/** The permissions file of a recording: prepared before a call, and compared after it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'

const KEYS = ['accounts-allowlist', 'nodes-allowlist'] as const
const ABSENT = '(absent)'
const STRANGER = `0x${'99'.repeat(20)}`

/** An entry with the file's content after the call. */
export interface FileEntry {
  readonly note: string
  readonly file?: string
}

export class RecordedFile {
  readonly #path: string
  #isLocked = false

  constructor(path: string) {
    this.#path = path
  }

  /** Changes the file before the call, as the note describes. */
  prepare({ note, file }: FileEntry): void {
    this.lock(note.startsWith('immutable file'))
    if (file === undefined) return
    if (file === ABSENT) rmSync(this.#path, { force: true })
    else if (note.startsWith('file has one more account')) this.#addStranger()
    else if (/^(file edited by hand|reload)/.test(note)) writeFileSync(this.#path, file)
  }

  /** Not even root may replace a locked file. */
  lock(isLocked: boolean): void {
    if (isLocked === this.#isLocked) return
    this.#isLocked = isLocked
    if (process.getuid?.() !== 0) {
      chmodSync(this.#path, isLocked ? 0o444 : 0o644)
      return
    }
    const { status, stderr } = spawnSync('chattr', [isLocked ? '+i' : '-i', this.#path], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`no file can be made immutable here: ${stderr}`)
  }

  read(): string {
    return existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : ABSENT
  }

  /**
   * The lists must be the recorded ones; a duplicate node counts once. All other content stays, including comments,
   * which Besu loses: a call changes only one list.
   */
  mistake(before: string, { file }: FileEntry): string | undefined {
    const now = this.read()
    if (before !== now) {
      if (!isDeepStrictEqual(othersIn(before), othersIn(now))) return `something else was changed: ${now}`
      const lost = commentsIn(before).filter((comment) => !commentsIn(now).includes(comment))
      if (lost.length > 0) return `comments were lost: ${lost.join(', ')}`
    }
    if (file === undefined || file === before) return undefined
    const [theirs, ours] = [listsIn(file), listsIn(now)]
    return theirs === ours ? undefined : `the file lists ${ours}, expected ${theirs}`
  }

  #addStranger(): void {
    const [key] = KEYS
    writeFileSync(this.#path, this.read().replace(`${key}=[`, `${key}=["${STRANGER}",`))
  }
}

function othersIn(text: string): object {
  return Object.fromEntries(Object.entries(parse(text)).filter(([key]) => !KEYS.some((each) => each === key)))
}

function listsIn(text: string): string {
  try {
    const table = parse(text)
    return KEYS.map((key) => {
      const entries = table[key]
      return JSON.stringify(Array.isArray(entries) ? [...new Set(entries)] : entries)?.toLowerCase()
    }).join(' and ')
  } catch {
    return text
  }
}

function commentsIn(text: string): string[] {
  return text.split('\n').filter((line) => line.startsWith('#'))
}
