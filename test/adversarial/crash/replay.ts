/**
 * Replays the calls of a traced program on a simulated disk. It pauses before and after every sync, and at every
 * acknowledgement: these are the moments of a possible power cut.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Disk, DiskFile } from './disk.ts'
import { MARKS_FILE } from './recorders/marks.ts'
import { type CallLine, descriptorOf, readTrace, stringsOf } from './system-calls.ts'

export interface Moment<Mark> {
  readonly disk: Disk
  /** Steps that the program knew to be complete at this moment. */
  readonly marks: readonly Mark[]
  /** A description for error messages. */
  readonly place: string
}

interface OpenFile {
  readonly file: DiskFile
  readonly isAppended: boolean
  position: number
}

const NO_EFFECT = new Set(['sync_file_range'])

class Replay<Mark> {
  readonly disk: Disk
  readonly marks: Mark[] = []
  readonly #root: string
  readonly #open = new Map<number, OpenFile>()
  readonly #begun = new Map<string, number>()
  #line = 0

  constructor(root: string) {
    this.#root = root
    this.disk = new Disk(root)
  }

  /** True if the call that ends here is a sync below the root; the sync has not taken effect yet. */
  isSync(call: CallLine): boolean {
    return call.isEnd && isSyncCall(call) && this.#isInside(descriptorOf(call.text).path)
  }

  next(call: CallLine): void {
    this.#line++
    if (call.isBegin) this.#begun.set(call.thread, this.#line)
    if (!call.isEnd || call.result < 0) return
    if (isSyncCall(call)) this.#sync(call)
    else if (call.name.includes('write')) this.#write(call)
    else if (call.name === 'ftruncate') this.#truncate(call)
    else this.#changeNames(call)
  }

  #sync({ text, thread }: CallLine): void {
    const { fd, path } = descriptorOf(text)
    if (!this.#isInside(path)) return
    const begun = this.#begun.get(thread)!
    if (path === this.#root || this.disk.find(path)?.isDirectory) this.disk.syncDirectory(path, begun)
    else this.disk.syncFile(this.#open.get(fd)!.file, begun)
  }

  #write({ name, text, result }: CallLine): void {
    const { fd, path } = descriptorOf(text)
    if (!this.#isInside(path)) return
    const bytes = Buffer.concat(stringsOf(text)).subarray(0, result)
    if (basename(path) === MARKS_FILE) return void this.marks.push(JSON.parse(bytes.toString()))
    const open = this.#open.get(fd)!
    const given = name.startsWith('p') ? Number(/, (\d+)$/.exec(text)![1]) : undefined
    const offset = given ?? (open.isAppended ? open.file.size : open.position)
    open.file.change({ at: this.#line, offset, bytes })
    if (given === undefined) open.position = offset + bytes.length
  }

  #truncate({ text }: CallLine): void {
    const { fd, path } = descriptorOf(text)
    if (!this.#isInside(path)) return
    const offset = Number(/, (\d+)$/.exec(text)![1])
    this.#open.get(fd)!.file.change({ at: this.#line, offset, bytes: undefined })
  }

  #changeNames(call: CallLine): void {
    const paths = stringsOf(call.text).map((bytes) => resolve(bytes.toString()))
    const [first, second] = paths
    if (first === undefined || !paths.some((path) => this.#isInside(path))) return
    const { name } = call
    if (name.startsWith('open') || name === 'creat') this.#openFile(call, first)
    else if (name.startsWith('rename')) this.disk.rename(this.#line, first, second!)
    else if (name.startsWith('unlink') || name === 'rmdir') this.disk.remove(this.#line, first)
    else if (name.startsWith('mkdir')) this.disk.create(this.#line, first, new DiskFile(true))
    else if (!NO_EFFECT.has(name)) throw new Error(`The disk of these tests does not know ${name}.`)
  }

  #openFile({ text, result }: CallLine, path: string): void {
    if (path === this.#root || basename(path) === MARKS_FILE) return
    const known = this.disk.find(path)
    const file = known ?? this.disk.create(this.#line, path)
    if (known !== undefined && /O_TRUNC/.test(text)) {
      file.change({ at: this.#line, offset: 0, bytes: undefined })
    }
    this.#open.set(result, { file, isAppended: /O_APPEND/.test(text), position: 0 })
  }

  #isInside(path: string): boolean {
    return path === this.#root || path.startsWith(`${this.#root}/`)
  }
}

function isSyncCall({ name }: CallLine): boolean {
  return name === 'fsync' || name === 'fdatasync'
}

/** `root` is the program's directory, which was empty and durable at the start. */
export async function* replayTrace<Mark>(trace: string, root: string): AsyncGenerator<Moment<Mark>> {
  const replay = new Replay<Mark>(root)
  const { disk, marks } = replay
  for await (const call of readTrace(trace)) {
    const known = marks.length
    const place = replay.isSync(call)
      ? `${call.name} of ${basename(descriptorOf(call.text).path)}`
      : undefined
    if (place !== undefined) yield { disk, marks, place: `before ${place}` }
    replay.next(call)
    if (place !== undefined) yield { disk, marks, place: `after ${place}` }
    if (marks.length > known) yield { disk, marks, place: 'at a mark' }
  }
  requireSame(disk.contents(), root)
  yield { disk, marks, place: 'the end' }
}

/** The trace is complete if its replay produces the files that the program left. */
function requireSame(contents: ReadonlyMap<string, Buffer>, root: string): void {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name !== MARKS_FILE && statSync(join(root, name)).isFile())
  const differs = files.filter((name) => !contents.get(name)?.equals(readFileSync(join(root, name))))
  const missing = [...contents.keys()].filter((name) => !files.includes(name))
  if (differs.length + missing.length > 0) {
    throw new Error(`The trace does not explain ${[...differs, ...missing].join(', ')} in ${dirname(root)}.`)
  }
}
