import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filterExposition } from './metrics-endpoint.ts'

const TEXT = `# HELP a_total Counts.
# TYPE a_total counter
a_total 1

# HELP b Times.
# TYPE b summary
b{quantile="0.5"} 2
b_count 3

# HELP c A gauge.
# TYPE c gauge
c 4
`

test("a family is kept completely, selected by its name or a sample's name", () => {
  assert.equal(
    filterExposition(TEXT, new Set(['b_count', 'c'])),
    '# HELP b Times.\n# TYPE b summary\nb{quantile="0.5"} 2\nb_count 3\n# HELP c A gauge.\n# TYPE c gauge\nc 4\n',
  )
  assert.equal(filterExposition(TEXT, new Set(['a'])), '')
  assert.match(filterExposition(TEXT, new Set(['a_total'])), /^# HELP a_total[^#]*# TYPE[^#]*a_total 1\n$/)
  assert.equal(filterExposition(`${TEXT}# EOF\n`, new Set(['nothing'])), '# EOF\n')
})
