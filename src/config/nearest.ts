/** Longer than any option name, so a longer text is not a misspelt one. */
const MAX_NAME_LENGTH = 80

/** The known names most similar to a misspelt one, best first; empty if none is close enough. */
export function nearestNames(wrong: string, known: Iterable<string>, most: number): string[] {
  if (wrong.length > MAX_NAME_LENGTH) return []
  const limit = Math.max(2, Math.floor(wrong.length / 3))
  const scored: { name: string; distance: number }[] = []
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) > limit) continue
    const distance = editDistance(wrong.toLowerCase(), name.toLowerCase())
    if (distance <= limit) scored.push({ name, distance })
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
  return scored.slice(0, most).map(({ name }) => name)
}

/** Returns " Did you mean --a?", or nothing. */
export function suggestion(wrong: string, known: Iterable<string>): string {
  const [name] = nearestNames(wrong, known, 1)
  return name === undefined ? '' : ` Did you mean ${name}?`
}

/** The number of characters to change, add, remove or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const changed = a[row - 1] === b[column - 1] ? 0 : 1
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + changed)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, beforePrevious[column - 2]! + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[b.length]!
}
