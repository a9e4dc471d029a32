/** The habits that docs/internals/style.md asks writers to drop, as patterns over one sentence. */
interface Habit {
  readonly name: string
  /** The usual replacement. */
  readonly instead: string
  readonly patterns: readonly RegExp[]
}

const HABITS: readonly Habit[] = [
  {
    name: 'headless clause',
    instead: 'name the thing',
    patterns: [
      // "What a validator signed is in the file." Questions and the headings of steps are not meant.
      /^(?:what|who|whose) (?!(?:if|happens|next|about|else|to)\b)[^?]{12,}[^?:]$/i,
      /\bwhom?ever\b/i,
      /\b(?:that|those) of (?!course)/i,
      /\b(?:those|ones?) (?:that|who|which|whose)\b/i,
      /\b(?:everybody|anybody|somebody) (?:who|that)\b/i,
      /(?<=\b(?:of|by|from|with|to|on|in|and|or|but|than|at|holds?|keeps?|after|gives?|takes?|needs?|also) )what (?:a|an|the|it|its|they|is|was|are|were|others|each|every|no|came|comes|left|may|must|can|had|has|belongs|follows|this|that)\b(?!.*\?)/i,
      /(?<=\b(?:of|by|says|and|or|only|decides|settles|lists) |[,:;(] ?)who (?:may|is|are|was|were|can|makes?|made|pays|sent|asks|uses|comes|came|holds|changed|called|signs|signed)\b(?!.*\?)/i,
    ],
  },
  {
    name: 'genitive chain',
    instead: 'use a compound noun',
    patterns: [
      /\bof\b[^,;:()]*\bof\b[^,;:()]*\bof\b/i,
      /\b(?:thread|network|message|protocol|room|answer|error|limit|option|method|metric|validator|file|rule|genesis|key|test|port|state|header)s? of (?:all |its |other |their )?(?:peers|users|validators|plugins|clients|consensus|callers|threads|rooms|votes|QBFT|IBFT|Besu|GoQuorum|geth|Kafka|JSON-RPC)\b/i,
      /\bof (?:its|their|our|your) own\b/i,
    ],
  },
  {
    name: 'tell',
    instead: 'report, announce, notify, log, return, publish, list',
    patterns: [/\b(?:tells?|told|telling)\b/i, /\bnews\b/i],
  },
  {
    name: 'old word',
    instead: 'is not a, no one, again, next to, so, as before, is, mode, complete',
    patterns: [
      /(?<!\b(?:there|it) )\b(?:is|are|was|were) no (?!longer|more|less|different)[a-z]+/i,
      /\b(?:nobody|everybody)\b|\b(?:is|are|was|were|has|have|had) none\b|, none\b/i,
      /\bin vain\b|\banew\b|\bas ever\b|\bin silence\b/i,
      /\bbeside\b/i,
      /\bso that\b/i,
      /\b(?:stands?|stood) (?:in|on|at|under|after|before|behind|still|there|idle)\b|\bmay stand\b|\bstands?[.,;]/i,
      /\bmanners?\b/i,
      /\b(?:as a|is|are|runs?|run) whole\b/i,
      /\bshall\b/i,
    ],
  },
  {
    name: 'where for if',
    instead: 'if, when, after',
    patterns: [
      /^where (?!to\b|from\b|possible|necessary|appropriate|applicable|available)[^?]{8,}$/i,
      /\b(?:also|only|even|except|but|undefined|null|empty|absent|nothing|false|true|and|or|not) where (?!possible|necessary)/i,
      /; where\b/i,
      /(?<!\b(?:place|point|line|position|directory|folder|case|situation|scenario|mode|network|file|page|tree|format|offset|index|list|database|location|state|environment|system|example)s?,?) where (?:it|there|they|nobody|nothing|no|one|that|others|several) (?:\w+ )?(?:is|are|was|were|has|have|had|does|do|did|can|cannot|may|must|needs?|left|came|comes?|says?|waits?|fits?|takes?|ends?)\b/i,
    ],
  },
  {
    name: 'hidden actor',
    instead: 'say who acts',
    patterns: [
      /\b(?:is|are|was|were|be|been|being) (?:asked(?! to)|found out|left alone|let go|let in|looked at|taken for|held against|given back|spoken to|gone through|waited (?:for|out)|written down|talked to|passed over)\b/i,
    ],
  },
  {
    name: 'own word',
    instead: "use the field's word",
    patterns: [
      /\bmakers?\b/i,
      /\bset back\b|\bin step\b|\bof then\b|\botherwise than\b/i,
      /\b(?:goes|went|going|go) on\b/i,
      /\b(?:brings?|brought|bringing) (?:about|along)\b/i,
      /\b(?:gives?|gave|given) (?:it |them |that )?back\b/i,
      /\b(?:makes?|made|making) (?:a |the |its |their |next |new |empty |no )*blocks?\b|\bblocks? (?:is|are|was|were) made\b/i,
    ],
  },
]

/** Patterns for comments alone: a doc comment is a sentence about its member. */
const FRAGMENTS: Habit = {
  name: 'fragment',
  instead: 'begin with what the member is',
  patterns: [
    /^(?:of|those|such) /i,
    /^that (?!(?:is|was|said|way|means)\b)/i,
    /^(?:undefined|null|absent|missing|empty|true|false|none|without|0|1): /i,
    /^(?:so|as) (?:long|many|much|often|far|few|old)\b(?! as\b)/i,
  ],
}

/** The habits of a sentence and how many patterns match; undefined for plain English. */
export function markSentence(
  sentence: string,
  isComment: boolean,
): { habits: string[]; score: number } | undefined {
  const habits = new Set<string>()
  let score = 0
  for (const { name, patterns } of isComment ? [...HABITS, FRAGMENTS] : HABITS)
    for (const pattern of patterns)
      if (pattern.test(sentence)) {
        habits.add(name)
        score += 1
      }
  return score === 0 ? undefined : { habits: [...habits], score }
}
