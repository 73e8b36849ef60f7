"""The machines of chapter 6, each a table of rules."""

from __future__ import annotations

from lib.turing.machines import Machine

INCREMENT = Machine.parse(
    """
    right 0 -> 0 R right           ; to the last digit
    right 1 -> 1 R right
    right _ -> _ L carry
    carry 1 -> 0 L carry           ; and back, as long as there is a carry
    carry 0 -> 1 N accept
    carry _ -> 1 N accept
""",
    name="increment",
)

ABC = Machine.parse(
    """
    a a -> X R b                   ; cross off an a,
    a Y -> Y R rest
    a _ -> _ N accept
    b a -> a R b                   ; the first b,
    b Y -> Y R b
    b b -> Y R c
    c b -> b R c                   ; and the first c
    c Z -> Z R c
    c c -> Z L back
    back a -> a L back
    back b -> b L back
    back Y -> Y L back
    back Z -> Z L back
    back X -> X R a
    rest Y -> Y R rest             ; no a is left: nor may be a b or a c
    rest Z -> Z R rest
    rest _ -> _ N accept
""",
    alphabet=("a", "b", "c"),
    name="aⁿbⁿcⁿ",
)

PALINDROMES = Machine.parse(
    """
    first 0 -> _ R seek0           ; take the first symbol away,
    first 1 -> _ R seek1
    first _ -> _ N accept
    seek0 0 -> 0 R seek0           ; go to the last
    seek0 1 -> 1 R seek0
    seek0 _ -> _ L want0
    seek1 0 -> 0 R seek1
    seek1 1 -> 1 R seek1
    seek1 _ -> _ L want1
    want0 0 -> _ L back            ; and take it away if it is the same
    want0 _ -> _ N accept
    want1 1 -> _ L back
    want1 _ -> _ N accept
    back 0 -> 0 L back
    back 1 -> 1 L back
    back _ -> _ R first
""",
    name="palindromes",
)

MULTIPLY = Machine.parse(
    """
    row 1 -> _ R cross             ; for each 1 of the first factor
    row * -> _ R clear
    cross 1 -> 1 R cross
    cross * -> * R copy
    copy 1 -> x R write            ; write as many 1s as the second holds
    copy = -> = L again
    write 1 -> 1 R write
    write = -> = R write
    write _ -> 1 L return
    return 1 -> 1 L return
    return = -> = L return
    return x -> x R copy
    again x -> 1 L again
    again * -> * L home
    home 1 -> 1 L home
    home _ -> _ R row
    clear 1 -> _ R clear           ; leave the product alone on the tape
    clear = -> _ R accept
""",
    alphabet=("1", "*", "="),
    name="unary multiplication",
)

BUSY_BEAVER_4 = Machine.compact("1RB1LB_1LA0LC_1RZ1LD_1RD0RA", "4-state busy beaver")
CHAMPION_5 = Machine.compact("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", "5-state champion")

PROGRAMS = (INCREMENT, ABC, PALINDROMES, MULTIPLY, BUSY_BEAVER_4, CHAMPION_5)
