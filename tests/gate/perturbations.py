"""A suite of our own: invented facts, each with edits that must cost it its full support.

Everything here is fictional. A passage bears out its claim; every edit of the claim makes it
something that the passage does not say.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A claim, the passage that bears it out, and edits of the claim by kind."""

    passage: str
    claim: str
    reworded: str
    edits: dict[str, str]


FACTS = (
    Fact(
        "The Orlen ferry crosses the Sound of Vey in 45 minutes. It runs from April to October and "
        "carries at most 120 passengers.",
        "The Orlen ferry crosses the Sound of Vey in 45 minutes.",
        "Crossing the Sound of Vey on the Orlen ferry takes 45 minutes.",
        {
            "number": "The Orlen ferry crosses the Sound of Vey in 75 minutes.",
            "denial": "The Orlen ferry does not cross the Sound of Vey in 45 minutes.",
            "name": "The Tamsin ferry crosses the Sound of Vey in 45 minutes.",
            "unit": "The Orlen ferry crosses the Sound of Vey in 45 hours.",
        },
    ),
    Fact(
        "Marbet tea may lower blood pressure in some adults. The trial followed 212 people for six "
        "weeks, and the effect ended when they stopped drinking it.",
        "Marbet tea may lower blood pressure in some adults.",
        "In some adults blood pressure may be lowered by Marbet tea.",
        {
            "opposite": "Marbet tea may raise blood pressure in some adults.",
            "sweeping": "Marbet tea lowers blood pressure in all adults.",
            "hedge": "Marbet tea always lowers blood pressure in some adults.",
            "name": "Corvane tea may lower blood pressure in some adults.",
        },
    ),
    Fact(
        "Residents of Hallowmere must register a drone that weighs more than 250 grams. Registration "
        "costs 12 crowns and lasts three years.",
        "Registration of a drone costs 12 crowns and lasts three years.",
        "Registering a drone costs 12 crowns, and the registration lasts three years.",
        {
            "number": "Registration of a drone costs 19 crowns and lasts three years.",
            "unit": "Registration of a drone costs 12 crowns and lasts three months.",
            "denial": "Registration of a drone never costs 12 crowns or lasts three years.",
        },
    ),
    Fact(
        "The Velt bridge was opened in 1931 and closed to lorries in 1987. Since then only cars and "
        "bicycles have been allowed to cross it.",
        "The Velt bridge was opened in 1931 and closed to lorries in 1987.",
        "Opened in 1931, the Velt bridge was closed to lorries in 1987.",
        {
            "number": "The Velt bridge was opened in 1913 and closed to lorries in 1987.",
            "denial": "The Velt bridge was not opened in 1931 or closed to lorries in 1987.",
            "opposite": "The Velt bridge was closed in 1931 and opened to lorries in 1987.",
            "name": "The Sarn bridge was opened in 1931 and closed to lorries in 1987.",
        },
    ),
    Fact(
        "Pellwood School accepts applications until 15 January. Late applications are considered "
        "only when places remain, and no fee is charged.",
        "Pellwood School accepts applications until 15 January.",
        "Applications to Pellwood School are accepted until 15 January.",
        {
            "number": "Pellwood School accepts applications until 25 January.",
            "denial": "Pellwood School does not accept applications until 15 January.",
            "name": "Ashcombe School accepts applications until 15 January.",
            "unit": "Pellwood School accepts applications until 15 March.",
        },
    ),
    Fact(
        "Batteries of the Quill scooter should be stored at a charge of 60 percent. Storing them "
        "empty shortens their life.",
        "Storing batteries of the Quill scooter empty shortens their life.",
        "The life of Quill scooter batteries is shortened by storing them empty.",
        {
            "opposite": "Storing batteries of the Quill scooter empty lengthens their life.",
            "denial": "Storing batteries of the Quill scooter empty does not shorten their life.",
            "name": "Storing batteries of the Dorset scooter empty shortens their life.",
        },
    ),
    Fact(
        "Most tenants of the Irwell estate pay rent monthly. About 8 percent pay weekly, and the "
        "estate accepts cash at its office.",
        "Most tenants of the Irwell estate pay rent monthly.",
        "Rent is paid monthly by most tenants of the Irwell estate.",
        {
            "sweeping": "All tenants of the Irwell estate pay rent monthly.",
            "unit": "Most tenants of the Irwell estate pay rent weekly in advance.",
            "denial": "Most tenants of the Irwell estate do not pay rent monthly.",
        },
    ),
    Fact(
        "Snowfall on Mount Ketter rose by 14 percent between 1990 and 2010, while snowfall in the "
        "Ost valley fell.",
        "Snowfall on Mount Ketter rose by 14 percent between 1990 and 2010.",
        "Between 1990 and 2010 snowfall on Mount Ketter rose by 14 percent.",
        {
            "number": "Snowfall on Mount Ketter rose by 41 percent between 1990 and 2010.",
            "opposite": "Snowfall on Mount Ketter fell by 14 percent between 1990 and 2010.",
            "denial": "Snowfall on Mount Ketter has not risen by 14 percent between 1990 and 2010.",
            "name": "Snowfall on Mount Balder rose by 14 percent between 1990 and 2010.",
        },
    ),
    Fact(
        "The permit for the Lowland canal can be bought online. It is valid for seven days unless "
        "the water board suspends it during floods.",
        "The permit for the Lowland canal is valid for seven days unless the water board suspends it.",
        "Unless the water board suspends it, the Lowland canal permit is valid for seven days.",
        {
            "number": "The permit for the Lowland canal is valid for 30 days unless the water board "
            "suspends it.",
            "sweeping": "The permit for the Lowland canal is always valid for seven days.",
            "denial": "The permit for the Lowland canal is not valid for seven days unless the water "
            "board suspends it.",
        },
    ),
    Fact(
        "Children under six travel free on the Harrow tram. Older children pay half the adult fare "
        "of 2.40 crowns.",
        "Children under six travel free on the Harrow tram.",
        "On the Harrow tram, children under six travel free.",
        {
            "number": "Children under 16 travel free on the Harrow tram.",
            "opposite": "Children over six travel free on the Harrow tram.",
            "denial": "Children under six never travel free on the Harrow tram.",
            "name": "Children under six travel free on the Wexley tram.",
        },
    ),
    Fact(
        "The Dunmore museum reduced its opening hours in 2022. It now closes at 16:00 and stays shut "
        "on Mondays.",
        "The Dunmore museum reduced its opening hours in 2022.",
        "In 2022 the Dunmore museum reduced its opening hours.",
        {
            "number": "The Dunmore museum reduced its opening hours in 2012.",
            "opposite": "The Dunmore museum increased its opening hours in 2022.",
            "denial": "The Dunmore museum did not reduce its opening hours in 2022.",
            "name": "The Ferrol museum reduced its opening hours in 2022.",
        },
    ),
    Fact(
        "Fieldgate cheese ripens for at least 90 days in a cellar. Some dairies ripen it for a year, "
        "which makes it harder.",
        "Fieldgate cheese ripens for at least 90 days in a cellar.",
        "In a cellar Fieldgate cheese ripens for at least 90 days.",
        {
            "number": "Fieldgate cheese ripens for at least 30 days in a cellar.",
            "opposite": "Fieldgate cheese ripens for at most 90 days in a cellar.",
            "denial": "Fieldgate cheese does not ripen for at least 90 days in a cellar.",
            "name": "Brackley cheese ripens for at least 90 days in a cellar.",
        },
    ),
)

KINDS = tuple(sorted({kind for fact in FACTS for kind in fact.edits}))
