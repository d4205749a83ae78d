"""Small synthetic pages, each with one element #it (or more: #it2, ...) and whether it is seen."""

from typing import Final

PAGES: Final[dict[str, tuple[str, dict[str, bool]]]] = {
    "plain": ("<p id=it>x</p>", {"it": True}),
    "attribute": ("<p hidden><b id=it>x</b></p>", {"it": False}),
    "attribute undone by a sheet": (
        "<style>p{display:block}</style><p hidden id=it>x</p>",
        {"it": True},
    ),
    "style none": ("<div style='DISPLAY : None'><b id=it>x</b></div>", {"it": False}),
    "none is not undone inside": (
        "<div style='display:none'><b id=it style='display:block;visibility:visible'>x</b></div>",
        {"it": False},
    ),
    "visibility is undone inside": (
        "<div id=it style='visibility:hidden'><b id=it2 style='visibility:visible'>x</b></div>",
        {"it": False, "it2": True},
    ),
    "visibility initial": (
        "<div style='visibility:hidden'><b id=it style='visibility:initial'>x</b></div>",
        {"it": True},
    ),
    "collapse": ("<p id=it style='visibility:collapse'>x</p>", {"it": False}),
    "opacity": (
        "<p style='opacity:0'><b id=it style='opacity:1'>x</b></p><p id=it2 style='opacity:5%'>x</p>",
        {"it": False, "it2": True},
    ),
    "value that is none": ("<p id=it style='display:nowhere'>x</p>", {"it": True}),
    "later value": ("<p id=it style='display:none;display:flex'>x</p>", {"it": True}),
    "class": ("<style>.a{display:none}</style><p class='b a' id=it>x</p>", {"it": False}),
    "specificity": (
        "<style>#it{display:block} p.a{display:none}</style><p class=a id=it>x</p>",
        {"it": True},
    ),
    "order": (
        "<style>.b{display:block} .a{display:none}</style><p class='a b' id=it>x</p>",
        {"it": False},
    ),
    "importance": (
        "<style>.a{display:none!important}</style><p class=a id=it style='display:block'>x</p>",
        {"it": False},
    ),
    "importance of the attribute": (
        (
            "<style>.a{display:none!important}</style>"
            "<p class=a id=it style='display:block!important'>x</p>"
        ),
        {"it": True},
    ),
    "placeholder without one that is shown": (
        (
            "<style>.t{visibility:hidden}.t:has(~.u){display:none}</style>"
            "<p><span class=t><button id=it>x</button></span></p>"
        ),
        {"it": False},
    ),
    "placeholder before one that is shown": (
        (
            "<style>.t:has(~.u){display:none}</style>"
            "<p><b class=t id=it>x</b><i></i><b class=u>y</b><b class=t id=it2>x</b></p>"
        ),
        {"it": False, "it2": True},
    ),
    "has inside": (
        (
            "<style>div:has(.k){display:none} p:has(> b){display:none} i:has(+ u){display:none}</style>"
            "<div id=it><s><b class=k>x</b></s></div><p id=it2><s><b>x</b></s></p>"
            "<i id=it3>x</i><u>x</u>"
        ),
        {"it": False, "it2": True, "it3": False},
    ),
    "has one or the other": (
        (
            "<style>b:has(i, ~u){display:none}</style>"
            "<p><b id=it>x</b><s>x</s><b id=it2><i>x</i></b><u>x</u><b id=it3>x</b></p>"
        ),
        {"it": False, "it2": False, "it3": True},
    ),
    "siblings": (
        (
            "<style>h4+p{display:none} h5~p{display:none}</style>"
            "<section><h4>x</h4><p id=it>x</p><p id=it2>x</p></section>"
            "<section><h5>x</h5><i>x</i><p id=it3>x</p></section>"
        ),
        {"it": False, "it2": True, "it3": False},
    ),
    "inside and beneath": (
        (
            "<style>.a .b>i{display:none}</style>"
            "<div class=a><p><s class=b><i id=it>x</i><u><i id=it2>x</i></u></s></p></div>"
            "<p class=b><i id=it3>x</i></p>"
        ),
        {"it": False, "it2": True, "it3": True},
    ),
    "not and is": (
        (
            "<style>p:not(.a,.b){display:none} b:is(.c,.d){display:none}</style>"
            "<p id=it class=b>x</p><p id=it2>x</p><b class=d id=it3>x</b>"
        ),
        {"it": True, "it2": False, "it3": False},
    ),
    "where weighs nothing": (
        "<style>:where(.a){display:none} p{display:block}</style><p class=a id=it>x</p>",
        {"it": True},
    ),
    "attributes of an element": (
        (
            "<style>[data-s=off],[lang|=en],[class*=zz i],[data-e$=end]{display:none}</style>"
            "<p data-s=off id=it>x</p><p lang=en-GB id=it2>x</p><p class=aZZa id=it3>x</p>"
            "<p data-e=ending id=it4>x</p>"
        ),
        {"it": False, "it2": False, "it3": False, "it4": True},
    ),
    "places among siblings": (
        (
            "<style>li:nth-child(2n+1){display:none} li:last-child{visibility:hidden}</style>"
            "<ul><li id=it>x</li><li id=it2>x</li><li id=it3>x</li><li id=it4>x</li></ul>"
        ),
        {"it": False, "it2": True, "it3": False, "it4": False},
    ),
    "states nobody is in": (
        (
            "<style>p:hover{display:none} b:focus-within{display:none}</style><p id=it>x</p>"
            "<b id=it2>x</b>"
        ),
        {"it": True, "it2": True},
    ),
    "generated boxes": ("<style>p::before{display:none}</style><p id=it>x</p>", {"it": True}),
    "print": (
        (
            "<style>@media print{p{display:none}}</style><style media=print>b{display:none}</style>"
            "<p id=it>x</p><b id=it2>x</b>"
        ),
        {"it": True, "it2": True},
    ),
    "screen": (
        (
            "<style>@media screen and (min-width:600px){p{display:none}}"
            "@media (max-width:40em){b{display:none}} @media (width>=64rem){i{display:none}}"
            "@media not print{u{display:none}}</style>"
            "<p id=it>x</p><b id=it2>x</b><i id=it3>x</i><u id=it4>x</u>"
        ),
        {"it": False, "it2": True, "it3": False, "it4": False},
    ),
    "rules in rules": (
        (
            "<style>.a{& .b{display:none} &.c{display:none} i{display:none}"
            "@media screen{u&,b&{visibility:hidden}}}</style>"
            "<p class=a><s class=b id=it>x</s><i id=it2>x</i></p><p class='a c' id=it3>x</p>"
            "<b class=a id=it4>x</b>"
        ),
        {"it": False, "it2": False, "it3": False, "it4": False},
    ),
    "layers": (
        (
            "<style>@layer low,high;@layer high{p{display:block}}@layer low{#it{display:none}}"
            "@layer high{b{display:none}} b{display:inline}"
            "@layer low{i{display:none!important}} #it3{display:inline!important}</style>"
            "<p id=it>x</p><b id=it2>x</b><i id=it3>x</i>"
        ),
        {"it": True, "it2": True, "it3": False},
    ),
    "supports": (
        (
            "<style>@supports (display:grid){p{display:none}}"
            "@supports not (display:grid){b{display:none}}</style><p id=it>x</p><b id=it2>x</b>"
        ),
        {"it": False, "it2": True},
    ),
    "all": (
        (
            "<style>.r{all:unset}</style><p class=r hidden id=it>x</p>"
            "<div style='visibility:hidden'><b id=it2 style='all:initial'>x</b></div>"
        ),
        {"it": True, "it2": True},
    ),
    "selector nobody can read": (
        (
            "<style>p:no-such-thing{display:none} {}{} .a{display:none}</style>"
            "<p id=it>x</p><p class=a id=it2>x</p>"
        ),
        {"it": True, "it2": False},
    ),
    "details": (
        (
            "<details><summary id=it>x</summary><summary id=it2>x</summary><p id=it3>x</p></details>"
            "<details open><p id=it4>x</p></details>"
            "<details><p style='display:block!important'><b id=it5>x</b></p></details>"
        ),
        {"it": True, "it2": False, "it3": False, "it4": True, "it5": False},
    ),
    "details whose summary is hidden": (
        "<details><summary hidden id=it>x</summary><summary id=it2>x</summary></details>",
        {"it": False, "it2": False},
    ),
    "dialog": (
        "<dialog id=it>x</dialog><dialog open id=it2>x</dialog>",
        {"it": False, "it2": True},
    ),
    "input": ("<input type=hidden id=it><input id=it2>", {"it": False, "it2": True}),
    "popover": ("<div popover id=it>x</div>", {"it": False}),
    "sheet in a template": (
        "<template><style>p{display:none}</style></template><p id=it>x</p>",
        {"it": True},
    ),
    "contents": (
        "<div style='display:contents'><b id=it>x</b></div>",
        {"it": True},
    ),
    "revert": (
        (
            "<style>p{display:none}.r{display:revert}</style><p class=r id=it>x</p>"
            "<p class=r hidden id=it2>x</p><dialog class=r id=it3>x</dialog>"
        ),
        {"it": True, "it2": True, "it3": False},
    ),
}
