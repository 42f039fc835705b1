"""Small MJCF models, each of which exercises a part of the format; all of them compile in MuJoCo."""

PENDULUM = """
<mujoco model="pendulum">
  <compiler angle="radian"/>
  <worldbody>
    <body name="arm" pos="0.1 -0.2 0.5" euler="0.3 -0.2 0.7">
      <joint name="hinge" pos="0.05 0.02 -0.1" axis="1 2 -0.5" ref="0.4" range="-1 2" armature="0.03"/>
      <inertial pos="0.1 0.02 -0.3" quat="1 0.2 -0.1 0.3" mass="1.7" diaginertia="0.03 0.02 0.015"/>
    </body>
  </worldbody>
</mujoco>
"""

SEVERAL_JOINTS = """
<mujoco>
  <worldbody>
    <body name="cart" pos="0.3 0 0.2" quat="0.9 0.1 -0.3 0.2">
      <joint name="x" type="slide" axis="1 0 0.2" ref="0.3"/>
      <joint name="y" type="slide" axis="0 1 0" pos="0.1 0.2 0.3" armature="0.2"/>
      <joint name="roll" axis="1 0 0" pos="0.1 0 0.05" ref="20"/>
      <joint name="pitch" axis="0.1 1 0" pos="-0.1 0.05 0" ref="-35"/>
      <joint name="yaw" axis="0 0 1" pos="0.02 0.03 -0.04"/>
      <geom type="box" size="0.1 0.2 0.05" pos="0.1 0 0.2" euler="10 20 30"/>
      <body name="tip" pos="0 0.2 0.3" axisangle="1 1 0 40">
        <joint name="bend" axis="0 1 0"/>
        <joint name="twist" axis="0 0 2" pos="0 0 0.1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0.1 0.05 0.3"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

BALLS = """
<mujoco>
  <option gravity="1 -2 -9"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" type="ball" pos="0.05 0.1 -0.02" armature="0.01"/>
      <geom type="cylinder" size="0.05 0.2" pos="0 0 -0.2" zaxis="0.1 0.2 1"/>
      <body name="lower" pos="0 0 -0.4" xyaxes="0 1 0.2 -1 0.3 0">
        <joint name="lift" type="slide" axis="0 0.3 1"/>
        <joint name="elbow" type="ball" pos="0 0 0.1"/>
        <geom type="ellipsoid" size="0.05 0.1 0.2" pos="0.02 0 -0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

WALKER = """
<mujoco model="walker">
  <compiler angle="radian" eulerseq="zyx" autolimits="true"/>
  <default>
    <joint armature="0.02" damping="0.5" range="-1.5 1.5"/>
    <geom type="capsule" density="900" rgba="0.8 0.6 0.4 1"/>
    <default class="leg">
      <geom size="0.05"/>
      <joint axis="0 1 0"/>
      <default class="shin"><geom size="0.04" density="700"/><joint range="-2 0" armature="0.01"/></default>
    </default>
  </default>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 0.1"/>
    <body name="torso" pos="0 0 1.1" euler="0.2 0.1 -0.3">
      <freejoint name="root"/>
      <geom fromto="0 -0.1 0 0 0.1 0.02" size="0.1"/>
      <geom type="sphere" size="0.1" pos="0 0 0.25" density="1000"/>
      <site name="imu" pos="0.01 0 0.1" euler="0.1 0.2 0.3"/>
      <body name="left_thigh" pos="0 0.1 -0.05" childclass="leg">
        <joint name="left_hip_roll" axis="1 0 0"/>
        <joint name="left_hip"/>
        <geom fromto="0 0 0 0 0 -0.4"/>
        <body name="left_shin" pos="0 0 -0.42">
          <joint name="left_knee" class="shin"/>
          <geom class="shin" fromto="0 0 0 0.02 0 -0.4"/>
          <site name="left_sole" pos="0 0 -0.42"/>
        </body>
      </body>
      <body name="right_thigh" pos="0 -0.1 -0.05" childclass="leg" euler="0 0.2 0">
        <joint name="right_hip"/>
        <geom fromto="0 0 0 0 0 -0.4"/>
        <body name="right_shin" pos="0 0 -0.42" childclass="shin">
          <joint name="right_knee"/>
          <geom fromto="0 0 0 0.02 0 -0.4"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="left_hip" gear="50" ctrlrange="-1 1" armature="1e-5"/>
    <position joint="left_knee" kp="10" forcerange="-30 40"/>
    <motor joint="right_hip" gear="-20"/>
  </actuator>
</mujoco>
"""

ORIENTATIONS = """
<mujoco>
  <compiler eulerseq="xYz" angle="degree"/>
  <worldbody>
    <body name="a" euler="10 20 30"><joint name="j0"/><geom type="box" size="0.1 0.2 0.3" quat="2 1 0 1"/>
      <body name="b" pos="1 0 0" axisangle="0 2 0 30"><joint name="j1" axis="0 1 0"/>
        <geom type="box" size="0.1 0.2 0.3" xyaxes="1 0.1 0 0.3 1 0.2"/>
        <body name="c" pos="0 1 0" zaxis="0 0 -1"><joint name="j2" axis="1 0 0"/>
          <geom type="box" size="0.1 0.2 0.3" zaxis="1 -2 0.5" pos="0.1 0.1 0.1"/>
          <body name="d" zaxis="0 0 1" pos="0 0 0.3"><joint name="j3" axis="1 1 0"/>
            <geom type="cylinder" size="0.05" fromto="0 0 0.1 0 0 -0.4"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

INERTIALS = """
<mujoco>
  <worldbody>
    <body name="diagonal"><joint name="j0"/>
      <inertial pos="0.1 0 0" euler="30 40 50" mass="2" diaginertia="0.1 0.2 0.25"/>
      <geom size="1"/>
      <body name="full" pos="0.3 0 0"><joint name="j1" axis="0 1 0"/>
        <inertial pos="0 0.1 0" mass="3" fullinertia="0.2 0.3 0.35 0.01 -0.02 0.03"/>
        <body name="geoms" pos="0.3 0 0"><joint name="j2" axis="1 0 0"/>
          <geom size="0.1" pos="0.1 0 0"/>
          <geom type="box" size="0.1 0.1 0.2" mass="0.7" density="1" euler="0 45 0"/>
          <geom type="capsule" size="0.05 0.2" density="400" pos="0 0.2 0"/>
          <geom type="cylinder" size="0.05 0.2" mass="0.3" pos="0 0 0.2"/>
          <geom type="ellipsoid" size="0.05 0.2 0.1" contype="0" conaffinity="0" pos="0 0.3 0.2"/>
          <body name="shells" pos="0.3 0 0"><joint name="j3" type="slide"/>
            <geom size="0.1" pos="0.1 0 0" shellinertia="true" density="5"/>
            <geom type="box" size="0.1 0.1 0.2" mass="0.7" shellinertia="true" euler="0 45 0"/>
            <geom type="capsule" size="0.05 0.2" density="4" shellinertia="true" pos="0 0.2 0"/>
            <geom type="cylinder" size="0.05 0.2" mass="0.3" shellinertia="true" pos="0 0 0.2"/>
            <geom type="ellipsoid" size="0.05 0.2 0.1" density="4" shellinertia="true" pos="0 0.3 0.2"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

GROUPS = """
<mujoco>
  <compiler inertiafromgeom="true" inertiagrouprange="1 2"/>
  <default><geom group="1"/></default>
  <worldbody>
    <body name="a"><joint name="j0"/>
      <inertial pos="5 0 0" mass="100" diaginertia="1 1 1"/>
      <geom size="0.1" group="0"/><geom size="0.2" pos="0.1 0 0"/><geom size="0.1" group="2" pos="0 0.3 0"/>
      <geom size="0.5" group="3"/>
    </body>
  </worldbody>
</mujoco>
"""

BOUNDS = """
<mujoco>
  <compiler boundmass="0.5" boundinertia="0.01" balanceinertia="true" settotalmass="12"/>
  <worldbody>
    <body name="a"><joint name="j0"/>
      <inertial pos="0.1 0 0" quat="1 0.1 0.2 0.3" mass="1" diaginertia="0.01 0.02 0.5"/>
      <body name="b" pos="1 0 0"><joint name="j1" axis="0 1 0"/><geom size="0.03"/>
        <body name="c" pos="1 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

FRAMES_AND_REPLICAS = """
<mujoco>
  <default><default class="thin"><geom size="0.02"/></default></default>
  <worldbody>
    <body name="base" pos="0 0 0.3">
      <joint name="spin"/>
      <frame pos="0.1 0 0" euler="0 90 0">
        <joint name="tilt" axis="1 0 0" pos="0 0 0.1"/>
        <geom type="box" size="0.1 0.1 0.1"/>
        <frame pos="0 0.2 0" axisangle="0 0 1 30" childclass="thin">
          <geom type="capsule" fromto="0 0 0 0.2 0 0"/>
          <site name="mark" pos="0 0 0.1"/>
          <body name="spoke" pos="0.1 0 0"><joint name="flex" axis="0 1 0"/>
            <geom type="capsule" fromto="0 0 0 0 0 1"/>
          </body>
        </frame>
      </frame>
      <replicate count="3" offset="0.1 0.2 0" euler="0 0 40" sep="-">
        <body name="finger" pos="0.3 0 0"><joint name="knuckle" axis="0 1 0"/><geom size="0.04" pos="0.1 0 0"/>
          <replicate count="2" offset="0 0 0.2">
            <body name="tip"><joint name="end" axis="1 0 0"/><geom size="0.02" pos="0 0.1 0"/></body>
          </replicate>
        </body>
      </replicate>
    </body>
  </worldbody>
  <actuator><motor joint="knuckle" gear="2" armature="0.1"/></actuator>
</mujoco>
"""

TWO_TREES = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <site name="origin" pos="0 0 0.1"/>
    <body name="table" pos="1 0 0.4"><geom type="box" size="0.3 0.3 0.4"/>
      <body name="lamp" pos="0 0 0.5" euler="0 10 0"><joint name="lamp_hinge" axis="0 1 0"/>
        <geom size="0.05" pos="0 0 0.3"/>
      </body>
    </body>
    <body name="ball" pos="0 1 1"><freejoint/><geom size="0.1" pos="0.02 0 0"/><geom size="0.05" pos="0 0.2 0"/></body>
    <body name="box" pos="0 -1 1"><joint type="free" name="box_free"/><geom type="box" size="0.1 0.2 0.3"/></body>
  </worldbody>
</mujoco>
"""

WELDED = """
<mujoco>
  <worldbody>
    <body name="pedestal">
      <geom type="cylinder" size="0.1 0.3"/>
      <body name="column" pos="0 0 0.3" euler="0 0 30"><joint name="turn"/><geom size="0.1" pos="0.1 0 0"/>
        <body name="bracket" pos="0.1 0 0" euler="0 30 0"><geom type="box" size="0.1 0.05 0.02" pos="0 0 0.1"/>
          <body name="camera" pos="0 0.1 0" euler="40 0 0"><geom size="0.03"/>
            <body name="lens" pos="0.05 0 0"><joint name="focus" type="slide" axis="1 0 0"/><geom size="0.02"/></body>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

INLINE_MESHES = """
<mujoco>
  <asset>
    <mesh name="wedge" vertex="0 0 0  0.25 0 0  0 0.375 0  0 0 0.5  0.25 0 0.125"/>
    <mesh name="box" scale="1 -2 1" refpos="0.125 0 0" refquat="1 0 0 1"
          vertex="0 0 0  0.25 0 0  0.25 0.375 0  0 0.375 0  0 0 0.5  0.25 0 0.5  0.25 0.375 0.5  0 0.375 0.5"
          face="0 2 1  0 3 2  4 5 6  4 6 7  0 1 5  0 5 4  1 2 6  1 6 5  2 3 7  2 7 6  3 0 4  3 4 7"/>
    <mesh name="shell" inertia="shell" vertex="0 0 0  0.25 0 0  0 0.375 0  0 0 0.5  0.25 0 0.125"/>
  </asset>
  <worldbody>
    <body name="a"><joint name="j0"/><geom type="mesh" mesh="wedge" euler="10 0 0" pos="0.1 0 0"/>
      <body name="b" pos="0.1 0 0"><joint name="j1"/><geom type="mesh" mesh="box" mass="2"/></body>
      <body name="c" pos="0 0.1 0"><joint name="j2" axis="1 0 0"/><geom type="mesh" mesh="shell" density="3"/></body>
      <body name="d" pos="0 0.1 0.2"><joint name="j3" axis="1 0 0"/>
        <geom type="sphere" mesh="wedge" euler="0 20 0"/>
        <geom type="capsule" mesh="wedge" pos="0.1 0 0"/>
        <geom type="cylinder" mesh="wedge" fitscale="0.8"/>
        <geom type="ellipsoid" mesh="wedge" mass="2"/>
        <geom type="box" mesh="wedge" axisangle="1 1 1 60"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

NAMELESS = """
<mujoco>
  <worldbody>
    <body pos="0 0 1"><freejoint/><geom size="0.1" pos="0.01 0 0"/><geom size="0.05" pos="0.1 0.1 0"/>
      <body pos="0.1 0 0"><joint/><joint axis="1 0 0"/><geom size="0.1" pos="0 0 0.1"/></body>
      <body pos="-0.1 0 0"><joint type="ball"/><geom size="0.1" pos="0 0 0.1"/>
        <body pos="-0.1 0 0"><joint axis="0 1 0"/><geom size="0.1" pos="0 0 0.1"/></body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

MODELS = {
    "pendulum": PENDULUM,
    "several joints": SEVERAL_JOINTS,
    "balls": BALLS,
    "walker": WALKER,
    "orientations": ORIENTATIONS,
    "inertials": INERTIALS,
    "groups": GROUPS,
    "bounds": BOUNDS,
    "frames and replicas": FRAMES_AND_REPLICAS,
    "two trees": TWO_TREES,
    "welded": WELDED,
    "inline meshes": INLINE_MESHES,
    "nameless": NAMELESS,
}
