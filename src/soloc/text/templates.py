"""The material of rated sentences: patterns, clauses and plain words, written for this purpose.

Every `{adj}` of a sentence may hold the rated word; plain adjectives hold the others. So neither
the place of the rated word nor the words beside it give it away. No word here is in the rated
lexicon.
"""

PATTERNS = (
    "the {adj} {noun} by the {place} was {adj}",
    "a {adj} {noun} stood near the {adj} {place}",
    "we saw a {adj} {person} with a {adj} {noun}",
    "the {person} said that the {noun} was {adj} and {adj}",
    "it was a {adj} {noun} for a {adj} {person}",
    "the {noun} looked {adj} beside the {adj} {noun}",
    "my {adj} {noun} came from a {adj} {place}",
    "nobody knew why the {adj} {noun} seemed {adj}",
    "the {person} found the {adj} {place} rather {adj}",
    "their {noun} is {adj}, their {noun} is {adj}",
    "she described the {noun} as {adj} and the {noun} as {adj}",
    "he bought a {adj} {noun} from the {adj} {person}",
    "this {adj} {place} has a {adj} {noun}",
    "the {adj} {person} called the {noun} {adj}",
    "between the {adj} {place} and the {noun} there was a {adj} {person}",
    "every {adj} {noun} here turns {adj} {when}",
    "{when} the {noun} became {adj}, and the {place} became {adj}",
    "our {adj} {person} wrote about the {adj} {noun}",
    "the {noun} of the {adj} {person} appeared {adj}",
    "two {adj} tables and one {adj} {noun} were in the {place}",
    "a {noun}, {adj} or not, goes with a {adj} {noun}",
    "they moved the {adj} {noun} into a {adj} room",
    "the {place} was {adj} and its {noun} was {adj}",
    "how {adj} the {noun} is in this {adj} {place}",
    "I remember the {adj} {noun} and the {adj} {person}",
    "the {person} put the {adj} {noun} behind the {adj} {noun}",
    "under the {adj} roof the {person} felt {adj}",
    "a {person} from the {adj} {place} told us a {adj} story",
    "such a {adj} {noun} belongs in a {adj} {place}",
    "the {noun} that the {adj} {person} carried was {adj}",
    "some call the {place} {adj}, others call it {adj}",
    "the {adj} {person} and the {adj} {person} met {when}",
    "it takes a {adj} {noun} to make a {adj} {place}",
    "the report says the {noun} was {adj} and the {person} {adj}",
    "next to a {adj} window hung a {adj} {noun}",
    "the {person} remained {adj} in the {adj} {place}",
    "{when} we heard a {adj} sound from the {adj} {place}",
    "the {adj} part of the {place} has a {adj} {noun}",
    "a {adj} letter about the {adj} {noun} arrived {when}",
    "the {noun} is more {adj} than the {adj} {person} thinks",
    "was the {noun} {adj} or was the {person} {adj}",
    "in the {adj} {place} every {noun} is {adj}",
    "{adj} and {adj}, the {noun} lay in the {place}",
    "the {adj} {noun} got {adj} when the {person} came",
    "you will see a {adj} {place} and then a {adj} {noun}",
    "the {person} asked for a {adj} {noun} and got a {adj} one",
    "both the {adj} {noun} and the {place} seem {adj} to the {person}",
    "the {adj}, {adj} {noun} was in the {place} {when}",
    "a {person} walked past the {adj} {noun} of the {adj} {place}",
    "they say the {adj} {person} lives in a {adj} {place}",
    "for a {noun} it is {adj}, for a {place} it is {adj}",
    "the {person} drew a {adj} {noun} on a {adj} page",
    "not far from here a {adj} {place} got a {adj} {noun}",
    "she told the {person} about a {adj} day in a {adj} {place}",
    "the {noun} on the left is {adj}, the one on the right is {adj}",
    "most of the {adj} {place} is {adj} {when}",
    "he had a {adj} voice and a {adj} {noun}",
    "we went from the {adj} {place} to the {adj} {place}",
    "the {adj} {noun} cost more than the {adj} one",
    "there is a {adj} {person} at the door with a {adj} {noun}",
    "what the {person} wrote about the {place} was {adj} and {adj}",
    "the {adj} {person} lives above the {adj} {place}",
    "her {noun} was {adj}, which the {adj} {person} knew",
    "only the {adj} {noun} was in the {adj} box",
)

OPENINGS = (
    "{when}, on the way to the {place},",
    "while the {person} was at the {place},",
    "after the {noun} had been moved,",
    "as the {person} wrote in the {adj} report,",
    "before the {person} went to the {place},",
    "in the {place} where the {noun} is made,",
    "when the bus from the {place} came,",
    "according to the {person} in the {adj} coat,",
    "near the {noun} of the {person},",
    "since the {place} was built,",
    "once the {adj} {noun} had been weighed,",
    "during the walk to the {place},",
)

CLOSINGS = (
    "because the {person} had gone to the {place}",
    "and the {person} wrote it down {when}",
    "which the {person} mentioned {when}",
    "while a {noun} was on the table",
    "and then everyone went to the {place}",
    "although the {noun} was in the {place}",
    "as the {adj} {person} noted",
    "until the {person} came with a {noun}",
    "so the {person} took the {noun} along",
    "and behind it was a {adj} {noun}",
    "where the {person} keeps the {noun}",
    "but the {noun} came {when}",
)

FILLERS = {
    "noun": (
        "table chair window door lamp carpet bicycle train ticket book page letter map clock "
        "garden tree river bridge road house wall roof bottle cup plate spoon knife coat shirt "
        "hat shoe bag box rope wheel engine machine camera radio phone screen keyboard picture "
        "song story poem film menu soup bread coffee tea apple cheese lunch dinner room hotel "
        "car boat truck bus tool stone field fence gate tower statue"
    ).split(),
    "person": (
        "teacher doctor nurse driver baker farmer student neighbour uncle aunt cousin brother "
        "sister father mother writer painter singer actor lawyer waiter clerk guard pilot "
        "sailor engineer colleague manager guest tourist child woman man boy girl"
    ).split(),
    "place": (
        "station market village town city harbour airport museum library school office kitchen "
        "street corner valley hill lake island forest park square church factory shop "
        "restaurant theatre hospital university building basement"
    ).split(),
    "when": [
        "yesterday", "today", "tonight", "afterwards", "later", "again", "in March", "on Monday",
        "on Tuesday", "at noon", "in the morning", "last week", "this year", "in winter",
        "in April",
        "at night",
    ],
    "adj": (
        "wooden metal round square narrow wide tall short long thick thin flat blue green red "
        "yellow black white brown orange electric manual digital northern southern eastern "
        "western upper inner outer central local regional national foreign domestic annual "
        "daily early late recent previous current former second third fourth double single "
        "separate parallel vertical horizontal internal external public private official formal "
        "medical technical musical historical physical chemical industrial commercial rural "
        "urban wet dry cold hot liquid printed painted golden modern ancient typical usual "
        "ordinary average standard regular large small big little medium tiny heavy light dark "
        "pale loud quiet silent slow fast quick new old young open closed main spare extra "
        "whole half full partial written spoken visual"
    ).split(),
}  # fmt: skip
