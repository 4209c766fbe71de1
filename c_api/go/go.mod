module ashlar

go 1.20
