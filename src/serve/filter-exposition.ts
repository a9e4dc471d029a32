/** What a family's sample may be called beside the family itself. */
const SAMPLE_SUFFIXES = ['_total', '_count', '_sum', '_bucket', '_created', '_info']

/**
 * Keeps the metric families that `names` asks for, by the name of the family or of one of its samples. Prometheus
 * asks so with `?name[]=`.
 */
export function filterExposition(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = []
  let family = ''
  let isKept = false
  for (const line of text.split('\n')) {
    const name = familyNamed(line)
    if (name !== undefined && name !== family) {
      family = name
      isKept = names.has(name) || SAMPLE_SUFFIXES.some((suffix) => names.has(name + suffix))
    }
    if (line !== '' && (isKept || line === '# EOF')) kept.push(line)
  }
  return kept.length === 0 ? '' : `${kept.join('\n')}\n`
}

/** A family begins with its HELP or TYPE line. */
function familyNamed(line: string): string | undefined {
  return /^# (?:HELP|TYPE) (\S+)/.exec(line)?.[1]
}
