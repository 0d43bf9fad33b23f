"""The adjectives that are rated: which ones, and what ten people said of each (the lexicon of
vaderSentiment).
"""

from functools import cache
from pathlib import Path

from soloc.text.extras import package_folder

#: Adjectives of everyday English: a vocabulary of 32,000 pieces holds each of them whole.
EVERYDAY = (
    "abandoned acceptable accepted accomplished active advanced alive alone angry anxious"
    " appreciated assured awesome awful bad beautiful better bitter bold brave bright brilliant"
    " broken calm capable careful certain clean clear clever comfortable confident confused"
    " confusing convinced cool criminal critical cruel curious dangerous dead dear dedicated"
    " defeated delayed destroyed determined devoted difficult dire dirty divine dynamic eager"
    " earnest easy effective efficient elegant empty engaged evil excellent excited exclusive"
    " exposed failed fair faithful fake fatal favorite fine flexible focused fond forced forgotten"
    " free fresh friendly fun gentle glad good grand grateful grave great gross guilty happy hard"
    " helpful honest huge hurt ideal ignored ill illegal important improved inferior injured"
    " inspired intellectual interested interesting isolated keen kind lazy limited loose lost loved"
    " loyal mad mistaken natural neat negative nice noble odd okay optimal original peculiar"
    " perfect pleasant pleased poor popular positive powerful prepared pretty prominent protected"
    " proud ready recommended rejected remarkable responsible rich robust sad safe satisfied"
    " satisfying secure secured serious severe sick significant silly smart solemn solid sorry"
    " special splendid stable strange strong stuck stupid substantial successful suffering super"
    " superior supported supporting sure surprised surprising sweet swift terrible threatened tired"
    " torn tricky trivial true ugly uncertain unclear useful useless vague vain valuable violent"
    " vital warm weak weird welcome winning wise wonderful worn worse worthy wrong"
).split()

#: Adjectives that such a vocabulary cuts into pieces.
RARER = (
    "abhorrent abused abusive adequate admirable admired adorable advantageous adventurous adverse"
    " aggressive aghast agreeable alarming amazed amazing ambitious amoral amused amusing annoyed"
    " annoying apathetic appalling appreciative ardent arrogant astonished astounding attractive"
    " audacious awkward bankrupt bashful beneficial benevolent benign bizarre blissful bloody"
    " blurry bored boring brisk brutal buoyant carefree careless catastrophic cautious chaotic"
    " charitable charming cheated cheerful cheerless cheery childish classy clueless cocky"
    " comforting compassionate competent competitive complacent contagious contemptible contented"
    " contentious controversial convincing courageous courteous crazy creative crude crushed cute"
    " cynical damaged damned deceitful decisive defective defenseless defensive defiant degrading"
    " dejected delectable delicate delicious delighted delightful demoralized depressed depressing"
    " depressive deprived desirable desperate despondent destructive devastated devastating"
    " disagreeable disappointed disappointing disastrous discouraged discouraging disgraced"
    " disgusted disgusting disheartened dishonest disillusioned dismal dismayed displeased disputed"
    " disruptive dissatisfied distorted distracting distressed distressing distrustful disturbed"
    " disturbing dizzy dodgy doomed doubtful dreaded dreadful dreary drunk dubious dull dumb"
    " ecstatic eerie egotistical embarrassed embarrassing encouraged encouraging energetic"
    " energized engaging enjoyable enraged enslaved entertaining enthusiastic envious erroneous"
    " ethical euphoric exasperated exciting excluded exhausted exuberant fabulous fantastic"
    " fascinated fascinating faultless faulty favorable favored fearful fearless fearsome feeble"
    " ferocious fervent festive fidgety fiery flattering flawless foolish forgetful forgiving"
    " frantic fraudulent friendless frightened frightening frisky frustrated frustrating fulfilled"
    " funny furious futile generous genial giddy glamorous gloomy glorious glum gorgeous graceful"
    " gracious greedy grim grimy grouchy gullible handsome hapless harmless harmonious harsh"
    " hateful haunted haunting healthy heartbreaking heartbroken heartless hellish helpless heroic"
    " hesitant hilarious homesick honorable honored hopeful hopeless horrendous horrible horrid"
    " horrific horrified horrifying hostile humiliated humiliating humorless humorous hurtful"
    " hypocritical hysterical idiotic ignorant immoral immune impatient impersonal impolite"
    " impressed impressive incapable incompetent inconvenient indecisive indifferent indignant"
    " ineffective influential infuriated infuriating innocent innovative insane insecure"
    " insensitive insignificant insipid inspirational inspiring insulted insulting intact"
    " intelligent intense intimidated intimidating irate ironic irrational irresistible"
    " irresponsible irritable irritated irritating itchy jaunty jealous jolly jovial joyful joyless"
    " joyous jubilant jumpy lame lamentable laughable lenient lethargic likeable livid loathed"
    " lonely lonesome lousy lovable lovely loving lucky ludicrous magnificent marvelous mature"
    " meaningful meaningless melancholic merry messy mindless miserable misunderstood moody moronic"
    " motivated motivating mournful murderous naive nasty needy neglected neglectful nerdy nervous"
    " neurotic nifty noisy notorious numb obnoxious obscene obsessive obsolete offended offensive"
    " ominous opportunistic oppressive optimistic outraged outrageous overwhelmed painful painless"
    " panicked panicky paranoid pathetic peaceful perplexed perverse pesky pessimistic petty"
    " pitiful playful pleasing pleasurable poisonous polluted powerless praised precious pressured"
    " problematic profitable promising prosperous provoked punished punitive pushy questionable"
    " radiant rancid rash reassuring rebellious reckless regretful regrettable relaxed relentless"
    " relieved reluctant repetitive repressive resentful resolute respectable respected respectful"
    " responsive restful restless rewarding ridiculous rigid rigorous risky romantic rotten rude"
    " ruined ruinous saddened sarcastic savage scandalous scared scary scornful selfish sentimental"
    " serene shaken shaky shameful shameless shattered shocked shocking shy sincere sinful"
    " skeptical sluggish smug sneaky sociable sore sorrowful spiteful startled startling stingy"
    " stolen stressful stubborn stunned stunning suave submissive sulky sullen sunny superb"
    " supportive supreme suspicious sympathetic talented tense terrific terrified terrifying"
    " thankful thoughtful thoughtless threatening thrilled thrilling timid tolerant tortured tough"
    " tragic tranquil trapped traumatic trite triumphant troubled troubling trusted trustful"
    " truthful unacceptable unapproved unattractive unaware unbelievable uncomfortable undesirable"
    " uneasy unethical unfair ungrateful unhappy unimportant unjust unkind unloved unmotivated"
    " unpleasant unprofessional unsettled unstable unsuccessful unsure unwanted unwelcome unworthy"
    " upset upsetting uptight vibrant vicious vigilant vile violated virtuous vulnerable wasted"
    " weakened wealthy weary weeping whimsical wicked worried worrying worthless yearning youthful"
    " yucky yummy zealous"
).split()

#: Vocabularies by name; in "wide" a static vocabulary of pieces cuts most words apart.
VOCABULARIES = {"everyday": EVERYDAY, "wide": sorted(EVERYDAY + RARER)}

CLEAR = 1.0  # a word rated nearer to zero decides nothing


def rated_words(vocabulary: str) -> list[str]:
    """The words of a vocabulary that people rate clearly, one way or the other."""
    rating = ratings()
    return [word for word in VOCABULARIES[vocabulary] if abs(rating[word]) >= CLEAR]


@cache
def ratings() -> dict[str, float]:
    """Mean rating of each entry of the lexicon by ten people, from -4 (very negative) to 4 (very
    positive).
    """
    path = package_folder("vaderSentiment") / "vader_lexicon.txt"
    return read_lexicon(path)


def read_lexicon(path: Path) -> dict[str, float]:
    """Entries and mean ratings of a lexicon file: tab-separated, the entry first and the mean
    second.
    """
    rows = [line.split("\t") for line in path.read_text("utf-8").splitlines() if "\t" in line]
    return {row[0]: float(row[1]) for row in rows}
