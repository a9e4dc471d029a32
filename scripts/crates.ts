/** Checks the crates that the native engine links, from Cargo.lock and `cargo tree`. */

const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'
/** Types of these crates cross between crates: a second version would be another type, or have another state. */
const ONCE = /^(revm|napi|alloy-primitives|secp256k1|aws-lc-sys|blst)/
/** Arguments of `cargo tree` for one line `name version|licence` per compiled crate. */
export const TREE = ['--edges', 'normal,build', '--prefix', 'none', '--format', '{p}|{l}']

export function findForbidden(lock: string, tree: string, allowed: readonly string[]): string[] {
  const sources = [...lock.matchAll(/^source = "(.*)"$/gm)].map(([, source]) => source!)
  const foreign = new Set(sources.filter((source) => source !== CRATES_IO))
  // A star marks an entry that was listed before.
  const lines = new Set(tree.trim().replaceAll(' (*)', '').split('\n'))
  const names = new Set<string>()
  const findings = [...foreign].map((source) => `Cargo.lock has a crate from ${source}.`)
  for (const line of lines) {
    const [crate, licence] = line.split('|') as [string, string]
    const name = crate.split(' ')[0]!
    if (!isAllowed(licence, allowed)) findings.push(`${crate} has the licence "${licence}" (deny.toml).`)
    if (names.has(name) && ONCE.test(name)) findings.push(`${name} is linked in more than one version.`)
    names.add(name)
  }
  return findings
}

/** Evaluates an SPDX expression, innermost parentheses first; older crates write a slash for OR. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const isFine = (names: string): boolean =>
    names.split(' OR ').some((all) => all.split(' AND ').every((name) => allowed.includes(name.trim())))
  let rest = expression.replaceAll('/', ' OR ')
  for (let group = INNERMOST.exec(rest); group !== null; group = INNERMOST.exec(rest)) {
    rest = rest.replace(group[0], isFine(group[1]!) ? allowed[0]! : 'none')
  }
  return isFine(rest)
}

const INNERMOST = /\(([^()]*)\)/
