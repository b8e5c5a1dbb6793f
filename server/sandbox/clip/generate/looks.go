package main

import "math"

// An rgb is a colour.
type rgb struct{ r, g, b uint8 }

func hex(v uint32) rgb { return rgb{uint8(v >> 16), uint8(v >> 8), uint8(v)} }

// mix is a, or b, or between: k is b's share, cut to 0…1.
func mix(a, b rgb, k float64) rgb {
	k = min(max(k, 0), 1)
	f := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*k)) }
	return rgb{f(a.r, b.r), f(a.g, b.g), f(a.b, b.b)}
}

// cover is how much of a pixel of the given size lies inside an edge: d is the
// distance to it, negative inside. It smooths every edge that is drawn here.
func cover(d, pixel float64) float64 { return 0.5 - d/pixel }

// A look is one moving picture. Its at gives, for a phase t of the loop and
// half the frame's width and height, the colour of a point. All motion has the
// loop's period, so that the last frame is followed by the first without a jump.
type look struct {
	name string
	at   func(t, hw, hh float64) func(x, y, pixel float64) rgb
}

const turn = 2 * math.Pi

// looks are flat colours and few edges: they tell prompts apart at a glance and
// stay small. Their order is part of what a prompt looks like: add at the end.
var looks = []look{
	{"orbits", orbits}, {"tides", tides}, {"sunrise", sunrise}, {"prism", prism},
	{"harbour", harbour}, {"tiles", tiles}, {"lanterns", lanterns}, {"dunes", dunes},
	{"bloom", bloom}, {"metronome", metronome}, {"weave", weave},
}

// orbits: planets around a sun.
func orbits(t, _, _ float64) func(x, y, p float64) rgb {
	night, sun := hex(0x101426), hex(0xffc857)
	type planet struct {
		x, y, r float64
		c       rgb
	}
	var ps []planet
	for i, c := range []uint32{0x4ecdc4, 0xff6b6b, 0xa393eb} {
		a := turn*t*float64([]int{2, 1, -1}[i]) + float64(i)*2
		d := 0.2 + 0.11*float64(i)
		ps = append(ps, planet{d * math.Cos(a), d * math.Sin(a), 0.05 - 0.008*float64(i), hex(c)})
	}
	return func(x, y, p float64) rgb {
		c := night
		d := math.Hypot(x, y)
		for i := range ps {
			path := math.Abs(d-0.2-0.11*float64(i)) - 0.0018
			c = mix(c, hex(0x2a3050), cover(path, p))
		}
		c = mix(c, sun, cover(d-0.1, p))
		for _, q := range ps {
			c = mix(c, q.c, cover(math.Hypot(x-q.x, y-q.y)-q.r, p))
		}
		return c
	}
}

// tides: four layers of waves.
func tides(t, _, hh float64) func(x, y, p float64) rgb {
	layers := []uint32{0x0077b6, 0x0096c7, 0x00b4d8, 0x90e0ef}
	return func(x, y, p float64) rgb {
		c := hex(0xcaf0f8)
		for i := range layers {
			l := len(layers) - 1 - i
			dir := float64(1 - 2*(l%2))
			top := -hh + 2*hh*(0.3+0.17*float64(i)) + 0.045*math.Sin(x*(5+float64(l))+dir*turn*t+float64(l))
			c = mix(c, hex(layers[l]), cover(top-y, p))
		}
		return c
	}
}

// sunrise: a sun that rises and sets behind flat bands of sky.
func sunrise(t, _, hh float64) func(x, y, p float64) rgb {
	sy := hh * (0.35 - 0.75*math.Sin(math.Pi*t)*math.Sin(math.Pi*t))
	lift := math.Sin(math.Pi*t) * math.Sin(math.Pi*t)
	return func(x, y, p float64) rgb {
		const bands = 7
		b := math.Floor((y + hh) / (2 * hh) * bands)
		c := mix(mix(hex(0x3d1e6d), hex(0x5fa8d3), lift), mix(hex(0xf25c54), hex(0xffe8a3), lift), b/(bands-1))
		c = mix(c, hex(0xfff3b0), cover(math.Hypot(x, y-sy)-0.16, p))
		return mix(c, hex(0x1b263b), cover(0.36*hh-y+0.04*math.Sin(x*4), p))
	}
}

// prism: slanted stripes that slide by one period.
func prism(t, _, _ float64) func(x, y, p float64) rgb {
	stripes := []uint32{0xff595e, 0xffca3a, 0x8ac926, 0x1982c4, 0x6a4c93}
	return func(x, y, p float64) rgb {
		s := (x+y*0.5)*4 + t*float64(len(stripes))
		i := math.Floor(s)
		n := func(k float64) rgb {
			m := int(k) % len(stripes)
			return hex(stripes[(m+len(stripes))%len(stripes)])
		}
		return mix(n(i), n(i+1), cover((i+1-s)/4, p))
	}
}

// tiles: squares that breathe in a wave.
func tiles(t, _, _ float64) func(x, y, p float64) rgb {
	return func(x, y, p float64) rgb {
		const n = 4
		i, j := math.Floor(x*n), math.Floor(y*n)
		dx, dy := math.Abs(x*n-i-0.5)/n, math.Abs(y*n-j-0.5)/n
		r := (0.27 + 0.15*math.Sin(turn*t+(i+j)*0.8)) / n
		c := hex(0xef476f)
		if int(math.Abs(i+j))%2 == 0 {
			c = hex(0x06d6a0)
		}
		return mix(hex(0x073b4c), c, cover(max(dx, dy)-r, p))
	}
}

// lanterns: lights that drift upwards over a dark town.
func lanterns(t, hw, hh float64) func(x, y, p float64) rgb {
	type light struct{ x, y, r float64 }
	var ls []light
	for i := range 7 {
		f := float64(i)
		k := math.Mod(f*0.37+t, 1)
		ls = append(ls, light{hw*(math.Mod(f*0.61, 1)*1.8-0.9) + 0.03*math.Sin(turn*t+f), hh * (1.15 - 2.3*k), 0.035 + 0.012*float64(i%3)})
	}
	return func(x, y, p float64) rgb {
		c := hex(0x1d1a31)
		for _, l := range ls {
			d := math.Hypot(x-l.x, (y-l.y)*0.8)
			c = mix(c, hex(0x5c3d2e), cover(d-l.r*1.9, p))
			c = mix(c, hex(0xffb703), cover(d-l.r, p))
		}
		roof := hh*0.72 + 0.05*math.Abs(math.Mod(math.Abs(x)*6, 2)-1)
		return mix(c, hex(0x0b0a16), cover(roof-y, p))
	}
}

// dunes: hills that pass at different speeds.
func dunes(t, _, hh float64) func(x, y, p float64) rgb {
	cs := []uint32{0xf4a261, 0xd68c45, 0xa0522d, 0x5a2a1b}
	return func(x, y, p float64) rgb {
		c := hex(0xffe8d6)
		c = mix(c, hex(0xff7d00), cover(math.Hypot(x-0.2, y+0.2*hh)-0.12, p))
		for i, v := range cs {
			f := float64(i)
			top := hh*(-0.1+0.26*f) + 0.06*math.Sin(x*(3-0.3*f)*2+turn*t*float64(1+i/2)+f*1.7)
			c = mix(c, hex(v), cover(top-y, p))
		}
		return c
	}
}

// bloom: a flower that turns.
func bloom(t, _, _ float64) func(x, y, p float64) rgb {
	return func(x, y, p float64) rgb {
		d, a := math.Hypot(x, y), math.Atan2(y, x)
		outer := 0.33 + 0.09*math.Cos(6*(a+turn*t/6))
		inner := 0.19 + 0.05*math.Cos(6*(a-turn*t/6))
		c := mix(hex(0xd8f3dc), hex(0xff70a6), cover((d-outer)*0.6, p))
		c = mix(c, hex(0xffd670), cover((d-inner)*0.6, p))
		return mix(c, hex(0x7b2d26), cover(d-0.07, p))
	}
}

// metronome: a bar that swings.
func metronome(t, _, hh float64) func(x, y, p float64) rgb {
	a := 0.55 * math.Sin(turn*t)
	sin, cos := math.Sincos(a)
	base := hh * 0.8
	return func(x, y, p float64) rgb {
		along, across := x*sin-(y-base)*cos, x*cos+(y-base)*sin
		c := hex(0xf1faee)
		c = mix(c, hex(0xa8dadc), cover(math.Abs(x)-0.1-0.24*(y+hh)/(2*hh), p))
		bar := max(math.Abs(across)-0.014, max(-along, along-1.45*hh))
		c = mix(c, hex(0x1d3557), cover(bar, p))
		return mix(c, hex(0xe63946), cover(math.Hypot(across, along-1.05*hh)-0.07, p))
	}
}

// weave: bars that cross.
func weave(t, _, _ float64) func(x, y, p float64) rgb {
	return func(x, y, p float64) rgb {
		const n = 3
		u, v := x*n+t, y*n-t
		bx := (math.Abs(u-math.Floor(u)-0.5) - 0.22) / n
		by := (math.Abs(v-math.Floor(v)-0.5) - 0.22) / n
		c := hex(0x22223b)
		over := int(math.Abs(math.Floor(u)+math.Floor(v)))%2 == 0
		across, down := hex(0xc9ada7), hex(0x9a8c98)
		if over {
			return mix(mix(c, down, cover(by, p)), across, cover(bx, p))
		}
		return mix(mix(c, across, cover(bx, p)), down, cover(by, p))
	}
}

// harbour: a boat that rocks, and a lighthouse beam.
func harbour(t, hw, hh float64) func(x, y, p float64) rgb {
	rock := 0.12 * math.Sin(turn*t)
	sin, cos := math.Sincos(rock)
	beam := 0.9 * math.Sin(turn*t)
	return func(x, y, p float64) rgb {
		c := hex(0x2b2d42)
		lx, ly := x+hw*0.7, y+hh*0.35
		ang := math.Atan2(ly, lx) - beam*0.5
		c = mix(c, hex(0x6d6875), cover((math.Abs(ang)-0.16)*math.Hypot(lx, ly), p))
		c = mix(c, hex(0xedf2f4), cover(max(math.Abs(lx)-0.035, -ly), p))
		c = mix(c, hex(0xffd166), cover(math.Hypot(lx, ly)-0.045, p))
		bx, by := (x-0.12)*cos+(y-0.2)*sin, -(x-0.12)*sin+(y-0.2)*cos
		c = mix(c, hex(0xef233c), cover(max(math.Abs(by)-0.05, math.Abs(bx)-0.2+by), p))
		c = mix(c, hex(0xedf2f4), cover(max(max(-bx, bx+by*0.0+(-by-0.42)*0.45-0.02), max(by+0.07, -by-0.42)), p))
		return mix(c, hex(0x118ab2), cover(0.22+0.02*math.Sin(x*9+turn*t)-y, p))
	}
}
